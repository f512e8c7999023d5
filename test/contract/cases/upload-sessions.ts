import { earliest, latest } from "../clock.ts";
import { createHash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { makePdf } from "../../fixtures/pdf.ts";
import { makeZip } from "../../fixtures/zip.ts";
import { bodyOf, listAt, objectAt, refusalOf, time } from "../answers.ts";
import type { Part } from "../api.ts";
import type { Scene } from "../scene.ts";
import { onePage, unknownUpload } from "../world.ts";

const partBytes = 5_000_000;
/** Three parts, the last of which is small. */
const book = makePdf({ pages: [{ text: "A book in three parts." }, { operators: `%${"x".repeat(10_200_000)}` }] });
const bookParts = [0, 1, 2].map((index) => book.subarray(index * partBytes, (index + 1) * partBytes));
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

export function uploadSessionsCases(scene: Scene): void {
  const { refused, finished } = scene;
  const ordinary = { fileName: "book.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };

  async function start(fields: JsonObject = {}): Promise<string> {
    const upload = objectAt(bodyOf(await scene.api.call("startUpload", { ...ordinary, ...fields })), "upload");
    return String(upload["key"]);
  }
  async function append(key: string, partNumber: number, file: Uint8Array): Promise<JsonObject> {
    return objectAt(bodyOf(await scene.api.appendPart({ key, partNumber, file })), "part");
  }
  /** A session with a small document in one part. */
  async function startWithOnePage(fields: JsonObject = {}): Promise<{ key: string; part: JsonObject }> {
    const key = await start(fields);
    return { key, part: await append(key, 1, onePage) };
  }
  const get = async (key: string): Promise<JsonObject> =>
    objectAt(bodyOf(await scene.api.call("getUpload", { key })), "upload");
  const end = async (request: JsonObject): Promise<JsonObject> =>
    objectAt(bodyOf(await scene.api.call("endUpload", request)), "job");
  const openKeys = async (): Promise<unknown[]> =>
    listAt(bodyOf(await scene.api.call("listUploads", { limit: 100 })), "data").map(({ key }) => key);
  async function refusedPart(part: Part, code: string, message: RegExp): Promise<void> {
    expect(await scene.api.appendPart(part)).toMatchObject({
      ok: false,
      code,
      message: expect.stringMatching(message),
    });
  }

  describe("upload sessions", () => {
    test("a document comes in parts: at once, in any order, one of them twice", async () => {
      const key = await start({ jobType: "vectorize", expiryInDays: 2, fileSize: book.length });
      const first = await append(key, 1, Buffer.concat([onePage, Buffer.alloc(100)]));
      const numbers = [3, 1, 2];
      const parts = await Promise.all(numbers.map((number) => append(key, number, bookParts[number - 1] ?? onePage)));
      for (const [index, part] of parts.entries()) {
        const bytes = bookParts[(numbers[index] ?? 0) - 1] ?? onePage;
        expect(part).toEqual({ etag: sha256(bytes), partNumber: numbers[index], size: bytes.length });
      }
      expect(parts[1]?.["etag"]).not.toBe(first["etag"]);
      const session = {
        key,
        fileName: "book.pdf",
        jobType: "vectorize",
        createdAt: time,
        expiresAt: time,
        fileSize: book.length,
        receivedBytes: book.length,
        partCount: 3,
      };
      expect(await get(key)).toMatchObject({ ...session, parts: [parts[1], parts[2], parts[0]] });
      const [listed] = listAt(bodyOf(await scene.api.call("listUploads", {})), "data");
      expect(listed).toMatchObject({ ...session, parts: [] });

      const job = await end({ key, parts, checksum: sha256(book).toUpperCase() });
      expect(job).toMatchObject({
        id: expect.stringMatching(/^dsj_\w{26}$/),
        type: "datasets/vectorize",
        status: "IN_PROGRESS",
        createdAt: time,
      });
      expect(await openKeys()).not.toContain(key);
      expect(await get(key)).toMatchObject({ jobId: job["id"], parts: [], partCount: 0, receivedBytes: 0 });
      expect(await finished(job)).toMatchObject({ status: "SUCCESS" });
      const id = String(job["datasetId"]);
      const dataset = objectAt(bodyOf(await scene.api.call("getDataset", { id })), "dataset");
      expect(dataset).toMatchObject({ fileName: "book.pdf", fileSize: book.length, itemCount: 2 });
      expect(Number(dataset["expiresAt"]) - Number(dataset["createdAt"])).toBe(2 * 86_400_000);
      const shared = await scene.api.readShare(id, String(objectAt(dataset, "share")["token"]));
      expect(shared.ok && sha256(shared.bytes)).toBe(sha256(book));
    });

    test("a part may say what it is behind its bytes, and an end need not list the parts", async () => {
      const key = await start();
      const part = { key, partNumber: 1, checksum: sha256(onePage), file: onePage, bytesFirst: true };
      expect(bodyOf(await scene.api.appendPart(part))).toEqual({
        part: { etag: sha256(onePage), partNumber: 1, size: onePage.length },
      });
      const job = await end({ key });
      expect(await finished(job)).toMatchObject({ status: "SUCCESS", type: "datasets/extract" });
    });

    test("a session lasts a day", async () => {
      const before = earliest();
      const upload = objectAt(bodyOf(await scene.api.call("startUpload", ordinary)), "upload");
      expect(upload).toEqual({ key: expect.stringMatching(/^tmp_\w{26}$/), expiresAt: time });
      expect(Number(upload["expiresAt"])).toBeGreaterThanOrEqual(before + 86_400_000);
      expect(Number(upload["expiresAt"])).toBeLessThanOrEqual(latest() + 86_400_000);
    });

    test.each(["PDF", ".pdf", ".DocX", "pptx", "xlsx", "docm"])(
      "a session may be for a file with the extension %s",
      (fileExt) => expect(start({ fileExt })).resolves.toMatch(/^tmp_/),
    );

    test.each<[string, JsonObject, string, RegExp]>([
      ["a picture", { fileExt: "png" }, "INVALID_ARGUMENT", /"png" is not the extension .*\(pdf, docx, pptx, xlsx\)/],
      ["a legacy document", { fileExt: ".DOC" }, "INVALID_ARGUMENT", /legacy .* \.docx or PDF/],
      ["an unknown job", { jobType: "translate" }, "INVALID_ARGUMENT", /jobType must be extract or vectorize/],
      ["a file without a name", { fileName: "" }, "INVALID_ARGUMENT", /fileName/],
      ["an expiry of 0 days", { expiryInDays: 0 }, "INVALID_ARGUMENT", /expiryInDays/],
      ["an empty file", { fileSize: 0 }, "INVALID_ARGUMENT", /fileSize/],
      ["too large a file", { fileSize: 12 * 2 ** 20 + 1 }, "RESOURCE_EXHAUSTED", /larger than 12 MB/],
    ])("no session is opened for %s", (_, fields, code, message) =>
      refused("startUpload", { ...ordinary, ...fields }, code, message),
    );

    test.each<[string, Partial<Part>, string, RegExp]>([
      ["an empty part", { file: new Uint8Array() }, "INVALID_ARGUMENT", /the part is empty/],
      ["a part without a key", { key: undefined }, "INVALID_ARGUMENT", /key of the upload session/],
      ["a part without a number", { partNumber: undefined }, "INVALID_ARGUMENT", /partNumber, from 1 to 10000/],
      ["part 10001", { partNumber: 10_001 }, "INVALID_ARGUMENT", /partNumber/],
      ["a part that is not its checksum", { checksum: "ab".repeat(32) }, "INVALID_ARGUMENT", /SHA-256/],
      ["a checksum that is none", { checksum: "abc" }, "INVALID_ARGUMENT", /checksum/],
      ["what begins like no document", { file: Buffer.from("hello") }, "INVALID_ARGUMENT", /plain text/],
      ["a part over the limit", { file: Buffer.alloc(12 * 2 ** 20 + 1), partNumber: 2 }, "RESOURCE_EXHAUSTED", /12 MB/],
    ])("%s is refused, wherever its bytes stand", async (_, fields, code, message) => {
      const key = await start();
      await refusedPart({ key, partNumber: 1, file: onePage, ...fields }, code, message);
      await refusedPart({ key, partNumber: 1, file: onePage, bytesFirst: true, ...fields }, code, message);
      expect(await get(key)).toMatchObject({ partCount: 0, parts: [] });
    });

    test("parts are refused that make the document too large", async () => {
      const key = await start();
      const file = Buffer.alloc(7 * 2 ** 20);
      await append(key, 2, file);
      await refusedPart({ key, partNumber: 3, file }, "RESOURCE_EXHAUSTED", /the document is larger than 12 MB/);
      await append(key, 2, file);
      expect(await get(key)).toMatchObject({ partCount: 1, receivedBytes: file.length });
    });

    test("an end is refused that does not fit the parts, and the session stays open", async () => {
      const key = await start({ fileSize: 2 * onePage.length });
      await refused("endUpload", { key }, "INVALID_ARGUMENT", /no part has been received/);
      const [first, third] = [await append(key, 1, onePage), await append(key, 3, onePage)];
      await refused("endUpload", { key }, "INVALID_ARGUMENT", /part 2 is missing.*; part 1 is too small/);
      const refusedWith = (parts: JsonObject[], message: RegExp) =>
        refused("endUpload", { key, parts }, "INVALID_ARGUMENT", message);
      await refusedWith([first], /part 3 has been received but is not listed/);
      await refusedWith([first, third, third], /part 3 is listed twice/);
      await refusedWith([first, third, { ...third, partNumber: 7 }], /part 7 has not been received/);
      await refusedWith([first, { ...third, etag: "ab".repeat(32) }], /part 3 was received with another etag/);
      expect(await get(key)).toMatchObject({ partCount: 2 });
      expect((await get(key))["jobId"] ?? null).toBeNull();
      bodyOf(await scene.api.call("abortUpload", { key }));
    });

    test("an end is refused whose document is not as announced, or none, and the session stays open", async () => {
      const { key, part } = await startWithOnePage({ fileSize: onePage.length + 1 });
      await refused("endUpload", { key }, "INVALID_ARGUMENT", /fileSize announced/);
      const other = await startWithOnePage();
      const checksum = "ab".repeat(32);
      await refused("endUpload", { key: other.key, checksum }, "INVALID_ARGUMENT", /SHA-256/);
      await append(other.key, 1, makeZip([{ name: "readme.txt", data: "hello" }]));
      await refused("endUpload", { key: other.key }, "INVALID_ARGUMENT", /zip archive/);
      await append(other.key, 1, onePage);
      expect(await end({ key: other.key, parts: [part] })).toMatchObject({ status: "IN_PROGRESS" });
    });

    test("an end that comes again, or several times at once, starts one job", async () => {
      const { key, part } = await startWithOnePage();
      const total = async () => Number(bodyOf(await scene.api.call("listDatasets", { limit: 1 }))["total"]);
      const before = await total();
      const jobs = await Promise.all([end({ key }), end({ key, parts: [part] }), end({ key })]);
      expect(new Set(jobs.map(({ id }) => id)).size).toBe(1);
      for (const job of jobs) expect(job).toMatchObject({ datasetId: jobs[0]?.["datasetId"] });
      expect(await total()).toBe(before + 1);
      const etag = `"${String(part["etag"]).toUpperCase()}"`;
      await finished(jobs[0] ?? {});
      expect(await end({ key, parts: [{ ...part, etag }] })).toMatchObject({ id: jobs[0]?.["id"], status: "SUCCESS" });
      const otherPart = { ...part, etag: "ab".repeat(32) };
      await refused("endUpload", { key, parts: [otherPart] }, "ALREADY_EXISTS", /has ended with other parts/);
      await refused("abortUpload", { key }, "ALREADY_EXISTS", /has ended/);
      await refusedPart({ key, partNumber: 1, file: onePage }, "ALREADY_EXISTS", /has ended/);
      await refusedPart({ key, partNumber: 1, file: onePage, bytesFirst: true }, "ALREADY_EXISTS", /has ended/);
    });

    test("an aborted session is gone", async () => {
      const { key } = await startWithOnePage();
      expect(await openKeys()).toContain(key);
      bodyOf(await scene.api.call("abortUpload", { key }));
      expect(await openKeys()).not.toContain(key);
      for (const method of ["getUpload", "endUpload", "abortUpload"] as const) {
        await refused(method, { key }, "NOT_FOUND", /no upload session/);
      }
      await refusedPart({ key, partNumber: 1, file: onePage }, "NOT_FOUND", /no upload session/);
      await refusedPart({ key, partNumber: 1, file: onePage, bytesFirst: true }, "NOT_FOUND", /no upload session/);
    });

    test("listUploads pages from the newest", async () => {
      const keys = [await start(), await start(), await start()].toReversed();
      expect((await openKeys()).slice(0, 3)).toEqual(keys);
      const second = bodyOf(await scene.api.call("listUploads", { offset: 1, limit: 1 }));
      expect(listAt(second, "data").map(({ key }) => key)).toEqual([keys[1]]);
      expect(Number(second["total"])).toBeGreaterThanOrEqual(3);
      await refused("listUploads", { limit: 101 }, "INVALID_ARGUMENT", /limit/);
    });

    test("a foreign session is refused like an unknown one, and is left alone", async () => {
      const { foreignKey } = scene.world;
      const started = objectAt(bodyOf(await scene.api.call("startUpload", ordinary, { key: foreignKey })), "upload");
      const foreign = String(started["key"]);
      const calls = [
        (key: string) => scene.api.call("getUpload", { key }),
        (key: string) => scene.api.call("endUpload", { key }),
        (key: string) => scene.api.call("abortUpload", { key }),
        (key: string) => scene.api.appendPart({ key, partNumber: 1, file: onePage }),
      ];
      for (const call of calls) {
        const refusals = [refusalOf(await call(foreign)), refusalOf(await call(unknownUpload))];
        const words = refusals.map(({ code, message }) => [code, message.replaceAll(/tmp_\w+/g, "KEY")]);
        expect(words[0]).toEqual(["NOT_FOUND", expect.stringContaining('"KEY"')]);
        expect(words[1]).toEqual(words[0]);
      }
      expect(await openKeys()).not.toContain(foreign);
      const left = bodyOf(await scene.api.call("getUpload", { key: foreign }, { key: foreignKey }));
      expect(left).toMatchObject({ upload: { key: foreign, partCount: 0 } });
    });
  });
}
