import { randomBytes } from "node:crypto";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { connect } from "../connection.ts";
import { DrsError, type UploadState } from "../index.ts";
import { appendsOf, content, hasty, partBytes, uploadTo, usePartUploads } from "../testing/part-uploads.ts";
import { type Fault, sha256Of } from "../testing/upload-service.ts";
import { uploadDocument } from "./upload-document.ts";

const given = usePartUploads();

test.each<[string, Fault]>([
  ["a broken connection", "break"],
  ["a lost answer", "break-after"],
  ["a service that is busy", { status: 429, headers: { "retry-after": "0" } }],
  ["a service that restarts", { status: 503 }],
  ["a failure inside", { status: 500 }],
  ["a proxy", { status: 502 }],
])("%s is met by sending the part again", async (_, fault) => {
  const server = await given.service({ fault: (name, nth) => (name === "append 2" && nth < 4 ? fault : undefined) });
  await uploadTo(server, given.path);
  expect(appendsOf(server).filter((name) => name === "append 2")).toHaveLength(4);
  expect(server.taken[0]?.bytes.equals(content)).toBe(true);
});

test("a connection that falls silent is closed, and the part sent again", async () => {
  const server = await given.service({ fault: (name, nth) => (name === "append 2" && nth === 1 ? "hang" : undefined) });
  const connection = connect({ server: server.url });
  await uploadDocument(connection, given.path, { singleRequestBytes: 0, partBytes }, { ...hasty, silenceMs: 1_000 });
  expect(appendsOf(server).filter((name) => name === "append 2").length).toBeGreaterThan(1);
  expect(server.taken[0]?.bytes.equals(content)).toBe(true);
});

test("start, look-up and end are asked again as well, and make one session and one document", async () => {
  const first = (name: string, nth: number): Fault =>
    nth === 1 && ["start", "started", "ended"].includes(name) ? { status: 503 } : undefined;
  const server = await given.service({ fault: first });
  expect(await uploadTo(server, given.path)).toMatchObject({ id: "dsj_1" });
  expect(server.requests.filter((name) => name === "start")).toHaveLength(3);
  expect(server.sessions.size).toBe(1);
  expect(server.requests.filter((name) => name === "end")).toHaveLength(2);
  expect(server.taken).toHaveLength(1);
});

test("a service that stays away fails the upload once retryTimeoutMs is over", async () => {
  const server = await given.service({ fault: (name) => (name === "append 3" ? { status: 503 } : undefined) });
  const error = await uploadTo(server, given.path, { retryTimeoutMs: 30 }).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(DrsError);
  expect(error).toMatchObject({ status: 503 });
  expect(appendsOf(server).filter((name) => name === "append 3").length).toBeGreaterThanOrEqual(4);
  expect(server.sessions.get("tmp_1")?.parts.size).toBe(3);
});

test("a service that asks for a longer pause than retryTimeoutMs fails the upload at once", async () => {
  const busy = { status: 429, headers: { "retry-after": "3600" } };
  const server = await given.service({ fault: (name) => (name === "append 1" ? busy : undefined) });
  await expect(uploadTo(server, given.path)).rejects.toMatchObject({ status: 429, retryAfterMs: 3_600_000 });
  expect(appendsOf(server).filter((name) => name === "append 1")).toHaveLength(1);
});

test("a refusal ends the upload, the other parts too", async () => {
  const server = await given.service({
    fault: (name) => (name === "append 2" ? { status: 409, error: "this session has ended" } : undefined),
  });
  await expect(uploadTo(server, given.path, { partsAtOnce: 1 })).rejects.toThrow("this session has ended");
  expect(appendsOf(server)).toEqual(["append 1", "append 2"]);
});

test.each(["append 1", "end"])("a document that is refused by %s leaves no parts behind", async (request) => {
  const server = await given.service({
    fault: (name) => (name === request ? { status: 415, error: "this is no PDF" } : undefined),
  });
  await expect(uploadTo(server, given.path)).rejects.toMatchObject({ status: 415, message: "this is no PDF" });
  expect(server.sessions.size).toBe(0);
});

test("a document over the limit is refused at the start, once", async () => {
  const server = await given.service({
    fault: (name) => (name === "start" ? { status: 413, error: "too large" } : undefined),
  });
  await expect(uploadTo(server, given.path)).rejects.toMatchObject({ status: 413, code: "resource_exhausted" });
  expect(server.requests).toEqual(["start"]);
});

test("bytes that arrive as others are not accepted", async () => {
  const server = await given.service({ etagOf: () => sha256Of(Buffer.from("something else")) });
  await expect(uploadTo(server, given.path)).rejects.toMatchObject({ code: "data_loss" });
  expect(server.taken).toEqual([]);
});

test.each<[string, (file: string) => Promise<void>]>([
  ["grows", (file) => appendFile(file, "more")],
  ["is written to", (file) => writeFile(file, randomBytes(content.length))],
  ["becomes shorter", (file) => writeFile(file, content.subarray(0, partBytes + 1))],
])("a file that %s meanwhile is not mixed", async (_, change) => {
  const file = join(given.folder, "changing.pdf");
  await writeFile(file, content);
  const server = await given.service();
  let hasChanged = false;
  const result = uploadTo(server, file, {
    partsAtOnce: 1,
    onState: ({ parts }) => {
      if (parts.length !== 1 || hasChanged) return;
      hasChanged = true;
      changing = change(file);
    },
  });
  let changing: Promise<void> | undefined;
  await expect(result).rejects.toMatchObject({ code: "aborted" });
  await expect(result).rejects.toThrow("changing.pdf changed during its upload");
  await changing;
  expect(server.taken).toEqual([]);
});

test("an abort stops at once and leaves what is needed to go on", async () => {
  const server = await given.service({ fault: (name) => (name === "append 3" ? "hang" : undefined) });
  const stop = new AbortController();
  const reason = new Error("enough");
  const states: UploadState[] = [];
  const stopped = uploadTo(server, given.path, {
    signal: stop.signal,
    onState: (state) => {
      states.push(state);
      if (state.parts.length === 3) stop.abort(reason);
    },
  });
  await expect(stopped).rejects.toBe(reason);
  expect(states.at(-1)).toMatchObject({ key: "tmp_1", fileSize: content.length, partBytes });
  expect(states.at(-1)?.parts.map(({ partNumber }) => partNumber)).toEqual([1, 2, 4]);
  expect(server.sessions.get("tmp_1")?.parts.size).toBe(3);
});

test("an abort lets go of a stream that waits, and says so to its source", async () => {
  const server = await given.service();
  const canceled = Promise.withResolvers<unknown>();
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(2 * partBytes)),
    cancel: (reason) => canceled.resolve(reason),
  });
  const stop = new AbortController();
  const reason = new Error("enough");
  const result = uploadTo(server, stream, {
    fileName: "a.pdf",
    signal: stop.signal,
    onState: ({ parts }) => parts.length === 2 && stop.abort(reason),
  });
  await expect(result).rejects.toBe(reason);
  expect(await canceled.promise).toBe(reason);
});

test("a stream that fails ends the upload with its own error", async () => {
  const server = await given.service();
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(partBytes + 1);
    throw new Error("the tape tore");
  }
  await expect(uploadTo(server, ReadableStream.from(failing()), { fileName: "a.pdf" })).rejects.toThrow("tape tore");
});
