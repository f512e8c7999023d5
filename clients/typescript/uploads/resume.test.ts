import { utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { UploadSource, UploadState } from "../index.ts";
import { appendsOf, content, streamOf, uploadTo, usePartUploads } from "../testing/part-uploads.ts";
import type { UploadTestService } from "../testing/upload-service.ts";

const given = usePartUploads();

/** Uploads until two parts have arrived, and then aborts; returns the state as it would be read from disk. */
async function brokenOff(server: UploadTestService, source: () => UploadSource): Promise<UploadState> {
  const stop = new AbortController();
  let last = "";
  const result = uploadTo(server, source(), {
    fileName: "book.pdf",
    partsAtOnce: 1,
    signal: stop.signal,
    onState: (state) => {
      last = JSON.stringify(state);
      if (state.parts.length === 2) stop.abort();
    },
  });
  await expect(result).rejects.toMatchObject({ name: "AbortError" });
  return JSON.parse(last);
}

test.each<[string, () => UploadSource]>([
  ["a path", () => given.path],
  ["a stream", () => streamOf(content, 2 ** 20)],
])("a resumption of %s sends what is missing, and only that", async (_, source) => {
  const server = await given.service();
  const resume = await brokenOff(server, source);
  const progress: number[] = [];
  const states: UploadState[] = [];
  const job = await uploadTo(server, source(), {
    resume,
    onProgress: ({ sentBytes }) => progress.push(sentBytes),
    onState: (state) => states.push(state),
  });
  expect(job.id).toBe("dsj_1");
  expect(appendsOf(server)).toEqual(["append 1", "append 2", "append 3", "append 4"]);
  expect(server.requests.filter((name) => name === "start")).toHaveLength(1);
  expect(server.taken[0]?.bytes.equals(content)).toBe(true);
  expect(states.at(-1)?.parts).toHaveLength(4);
  expect(progress.at(-1)).toBe(content.length);
});

test("a resumption never mixes: parts that the file no longer has are sent again", async () => {
  const file = join(given.folder, "edited.pdf");
  await writeFile(file, content);
  const server = await given.service();
  const resume = await brokenOff(server, () => file);
  const edited = Buffer.from(content);
  edited.fill(7, 0, 10);
  await writeFile(file, edited);
  await uploadTo(server, file, { resume });
  expect(appendsOf(server).filter((name) => name === "append 1")).toHaveLength(2);
  expect(appendsOf(server).filter((name) => name === "append 2")).toHaveLength(1);
  expect(server.taken[0]?.bytes.equals(edited)).toBe(true);
});

test("a resumption of a session that is gone starts anew, unless that is not wanted", async () => {
  const server = await given.service();
  const resume = await brokenOff(server, () => given.path);
  server.sessions.delete(resume.key);
  await expect(uploadTo(server, given.path, { resume, resumeOnly: true })).rejects.toMatchObject({ code: "not_found" });
  await uploadTo(server, given.path, { resume });
  expect(server.taken[0]?.bytes.equals(content)).toBe(true);
});

test("a resumption of a file of another size starts anew", async () => {
  const server = await given.service();
  const resume = await brokenOff(server, () => given.path);
  const file = join(given.folder, "other.pdf");
  await writeFile(file, content.subarray(5));
  await uploadTo(server, file, { resume });
  expect(server.requests.filter((name) => name === "start")).toHaveLength(2);
  expect(server.taken[0]?.bytes.equals(content.subarray(5))).toBe(true);
});

test("a resumption of a session that has ended returns its job, but only for the same file", async () => {
  const server = await given.service();
  const file = join(given.folder, "ended.pdf");
  await writeFile(file, content);
  let last: UploadState | undefined;
  await uploadTo(server, file, { onState: (state) => (last = state) });
  expect(await uploadTo(server, file, { resume: last })).toMatchObject({ id: "dsj_1" });
  expect(server.taken).toHaveLength(1);
  await utimes(file, 1_000, 1_000);
  expect(await uploadTo(server, file, { resume: last })).toMatchObject({ id: "dsj_2" });
  expect(server.taken).toHaveLength(2);
});

test("a resumption keeps to what the session was started for", async () => {
  const server = await given.service();
  const resume = await brokenOff(server, () => given.path);
  await uploadTo(server, given.path, { resume, vectorize: true });
  expect(server.taken[0]).toMatchObject({ jobType: "vectorize" });
  expect(server.requests.filter((name) => name === "start")).toHaveLength(2);
});

test("a call with the key of an earlier one goes on with its session, and then has its job", async () => {
  const server = await given.service();
  const options = { idempotencyKey: "order-1", partsAtOnce: 1 };
  const stop = new AbortController();
  const onState = ({ parts }: UploadState): void => (parts.length === 2 ? stop.abort() : undefined);
  const broken = uploadTo(server, given.path, { ...options, signal: stop.signal, onState });
  await expect(broken).rejects.toMatchObject({ name: "AbortError" });
  expect(await uploadTo(server, given.path, options)).toMatchObject({ id: "dsj_1" });
  expect(await uploadTo(server, given.path, options)).toMatchObject({ id: "dsj_1" });
  expect(appendsOf(server)).toEqual(["append 1", "append 2", "append 3", "append 4"]);
  expect(server.sessions.size).toBe(1);
  expect(server.taken).toHaveLength(1);
});
