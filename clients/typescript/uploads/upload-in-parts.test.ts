import { expect, test } from "vitest";
import { createDrs, type UploadProgress, type UploadSource } from "../index.ts";
import { appendsOf, content, partBytes, streamOf, uploadTo, usePartUploads } from "../testing/part-uploads.ts";
import { sha256Of } from "../testing/upload-service.ts";

const given = usePartUploads();

test("a document in parts arrives whole, described at the start", async () => {
  const server = await given.service();
  const job = await uploadTo(server, given.path, { vectorize: true, expiresInDays: 3 });
  expect(job).toMatchObject({ id: "dsj_1", datasetId: "ds_1", status: "IN_PROGRESS" });
  expect(server.taken).toMatchObject([{ way: "parts", fileName: "book.pdf", jobType: "vectorize" }]);
  expect(server.taken[0]?.fields).toEqual({ fileExt: "pdf", fileType: "application/pdf", expiryInDays: "3" });
  expect(server.taken[0]?.bytes.equals(content)).toBe(true);
  expect(server.sessions.get("tmp_1")?.fileSize).toBe(content.length);
  expect(appendsOf(server)).toEqual(["append 1", "append 2", "append 3", "append 4"]);
});

test.each<[string, () => UploadSource]>([
  ["bytes", () => new Uint8Array(content)],
  ["a file of the browser's kind", () => new File([content], "book.pdf")],
  ["a stream of many small chunks", () => streamOf(content, 70_001)],
  ["a stream of one chunk", () => streamOf(content, content.length)],
  ["a stream that ends with a part", () => streamOf(content.subarray(0, 2 * partBytes), 2 ** 20)],
])("a document in parts may come as %s", async (_, source) => {
  const server = await given.service();
  await uploadTo(server, source(), { fileName: "book.pdf" });
  const [taken] = server.taken;
  expect(taken?.way).toBe("parts");
  const expected = appendsOf(server).length === 2 ? content.subarray(0, 2 * partBytes) : content;
  expect(sha256Of(taken?.bytes ?? new Uint8Array())).toBe(sha256Of(expected));
});

test("a document goes in one request up to the limit, in parts above it", async () => {
  const server = await given.service();
  await uploadTo(server, given.path, { singleRequestBytes: content.length });
  await uploadTo(server, given.path, { singleRequestBytes: content.length - 1 });
  expect(server.taken.map(({ way }) => way)).toEqual(["whole", "parts"]);
});

test("a document has several parts under way, and no more than wanted", async () => {
  const server = await given.service();
  await uploadTo(server, given.path, { partsAtOnce: 2 });
  expect(server.maxAtOnce()).toBe(2);
  expect(server.connections()).toBe(2);
});

test("a document tells how far it is and never goes back, although parts are sent again", async () => {
  const server = await given.service({
    fault: (name, nth) => (name.startsWith("append") && nth < 3 ? "break" : undefined),
  });
  const seen: UploadProgress[] = [];
  await uploadTo(server, given.path, { onProgress: (progress) => seen.push(progress) });
  const sent = seen.map(({ sentBytes }) => sentBytes);
  expect(sent).toEqual(sent.toSorted((one, other) => one - other));
  expect(seen.at(-1)).toMatchObject({ sentBytes: content.length, totalBytes: content.length, remainingMs: 0 });
  expect(Math.max(...sent)).toBe(content.length);
});

test("a stream has no length before its end", async () => {
  const server = await given.service();
  const seen: (number | undefined)[] = [];
  await uploadTo(server, streamOf(content, 2 ** 20), {
    fileName: "a.pdf",
    onProgress: ({ totalBytes }) => seen.push(totalBytes),
  });
  expect(seen[0]).toBeUndefined();
  expect(seen.at(-1)).toBe(content.length);
  expect(server.sessions.get("tmp_1")?.fileSize).toBeUndefined();
});

test("a stream holds no more parts in memory than are under way", async () => {
  const server = await given.service();
  let pulled = 0;
  let max = 0;
  const chunk = new Uint8Array(2 ** 20);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (; pulled < 60; pulled += 1) {
      const confirmed = [...(server.sessions.get("tmp_1")?.parts.keys() ?? [])].length * 5;
      max = Math.max(max, pulled - confirmed);
      yield chunk;
    }
  }
  await uploadTo(server, ReadableStream.from(chunks()), { fileName: "a.pdf", partsAtOnce: 2 });
  expect(server.taken[0]?.bytes).toHaveLength(60 * 2 ** 20);
  // Two parts of 5 MiB, and what of a chunk did not fit into them.
  expect(max).toBeLessThanOrEqual(11);
});

test("a document needs a name where its bytes do not tell what it is", async () => {
  const server = await given.service();
  await uploadTo(server, streamOf(Buffer.concat([Buffer.from("%PDF-1.7\n"), content]), 2 ** 20));
  expect(server.taken[0]?.fields).toMatchObject({ fileExt: "pdf", fileType: "application/pdf" });
  const office = streamOf(Buffer.concat([Buffer.from("PK\u0003\u0004"), content]), 2 ** 20);
  await expect(uploadTo(server, office)).rejects.toThrow("pass a fileName that says which one");
  expect(server.requests.filter((name) => name === "start")).toHaveLength(1);
});

test.each([
  { partBytes: 5_000_000 },
  { partBytes: 200_000_000 },
  { partsAtOnce: 0 },
  { partsAtOnce: 1.5 },
  { singleRequestBytes: -1 },
  { singleRequestBytes: Number.NaN },
])("an upload is refused with %o before anything is sent", async (options) => {
  const drs = createDrs({ server: "http://127.0.0.1:1" });
  await expect(drs.datasets.upload(given.path, options)).rejects.toThrow(RangeError);
});

test("uploads are listed, looked at and aborted", async () => {
  const server = await given.service({ fault: (name) => (name === "end" ? { status: 404 } : undefined) });
  const drs = createDrs({ server: server.url });
  await expect(uploadTo(server, given.path)).rejects.toMatchObject({ status: 404 });
  await expect(uploadTo(server, given.path, { vectorize: true })).rejects.toMatchObject({ status: 404 });
  const list = await Array.fromAsync(drs.uploads.list());
  expect(list.map(({ key, jobType, parts }) => [key, jobType, parts])).toEqual([
    ["tmp_2", "vectorize", []],
    ["tmp_1", "extract", []],
  ]);
  expect(await drs.uploads.page({ limit: 1 })).toMatchObject({
    total: 2,
    offset: 0,
    limit: 1,
    data: [{ key: "tmp_2" }],
  });
  const found = await drs.uploads.get("tmp_1");
  expect(found).toMatchObject({ fileName: "book.pdf", fileSize: content.length, partCount: 4, jobId: null });
  expect(found.parts[1]).toEqual({
    partNumber: 2,
    size: partBytes,
    etag: sha256Of(content.subarray(partBytes, 2 * partBytes)),
  });
  await drs.uploads.abort("tmp_1");
  await expect(drs.uploads.get("tmp_1")).rejects.toMatchObject({ code: "not_found" });
});
