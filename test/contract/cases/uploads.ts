import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { makePdf } from "../../fixtures/pdf.ts";
import { bodyOf, listAt, objectAt, time } from "../answers.ts";
import type { Upload } from "../api.ts";
import type { Scene } from "../scene.ts";
import { onePage } from "../world.ts";

export function uploadsCases(scene: Scene): void {
  const { refused, uploaded, finished } = scene;

  describe("uploads", () => {
    test.each(["extract", "vectorize"] as const)("%s answers with the job", async (method) => {
      const job = await uploaded(method);
      expect(job).toMatchObject({
        id: expect.stringMatching(/^dsj_\w{26}$/),
        datasetId: expect.stringMatching(/^ds_\w{26}$/),
        type: `datasets/${method}`,
        status: "IN_PROGRESS",
        createdAt: time,
      });
      expect(job["statusText"] ?? null).toBeNull();
      expect(job["finishedAt"] ?? null).toBeNull();
      expect(await finished(job)).toMatchObject({
        status: "SUCCESS",
        statusText: "",
        startedAt: time,
        finishedAt: time,
      });
    });

    test("expiresInDays sets when the dataset expires, wherever it stands in the request", async () => {
      const job = await uploaded("extract", { file: onePage, fileName: "one.pdf", expiresInDays: 2 });
      const dataset = objectAt(bodyOf(await scene.api.call("getDataset", { id: String(job["datasetId"]) })), "dataset");
      expect(Number(dataset["expiresAt"]) - Number(dataset["createdAt"])).toBe(2 * 86_400_000);
    });

    test("expiresInDays -1 means never", async () => {
      const job = await uploaded("extract", { file: onePage, fileName: "one.pdf", expiresInDays: -1 });
      const dataset = objectAt(bodyOf(await scene.api.call("getDataset", { id: String(job["datasetId"]) })), "dataset");
      expect(dataset["expiresAt"] ?? null).toBeNull();
    });

    test("when its time is over, a dataset is gone from every answer", async () => {
      const job = await uploaded("vectorize", { file: onePage, fileName: "one.pdf", expiresInDays: 4 / 86_400 });
      const id = String(job["datasetId"]);
      const dataset = objectAt(bodyOf(await scene.api.call("getDataset", { id })), "dataset");
      const token = String(objectAt(dataset, "share")["token"]);
      await expect.poll(() => scene.api.call("getDataset", { id }), { timeout: 10_000 }).toMatchObject({ ok: false });
      expect(Date.now()).toBeGreaterThanOrEqual(Number(dataset["expiresAt"]));
      await refused("getDataset", { id }, "NOT_FOUND", /no dataset/);
      await refused("listItems", { datasetId: id }, "NOT_FOUND", /no dataset/);
      await refused("vectorizeDataset", { id }, "NOT_FOUND", /no dataset/);
      await refused("search", { query: "lighthouse", datasetIds: [id] }, "NOT_FOUND", /no dataset/);
      expect(await scene.api.readShare(id, token)).toMatchObject({ ok: false, code: "PERMISSION_DENIED" });
      const listed = listAt(bodyOf(await scene.api.call("listDatasets", { limit: 100 })), "data");
      expect(listed.map((one) => one["id"])).not.toContain(id);
    });

    test("a file name with a path keeps only its last part", async () => {
      const job = await uploaded("extract", { file: onePage, fileName: "../../etc/pass wd.pdf" });
      const dataset = objectAt(bodyOf(await scene.api.call("getDataset", { id: String(job["datasetId"]) })), "dataset");
      expect(dataset).toMatchObject({
        fileName: "pass wd.pdf",
        fileExt: "pdf",
        mimeType: "application/pdf",
        fileSize: onePage.length,
      });
    });

    const refusals: [string, Upload, string, RegExp][] = [
      ["neither file nor url", {}, "INVALID_ARGUMENT", /file/],
      ["file and url", { file: onePage, url: "http://example.org/a.pdf" }, "INVALID_ARGUMENT", /not both/],
      ["a url that is none", { url: "example.org/a.pdf" }, "INVALID_ARGUMENT", /not a URL/],
      ["a url of a file", { url: "file:///etc/passwd" }, "INVALID_ARGUMENT", /only http and https/],
      ["a private address", { url: "http://10.0.0.1/a.pdf" }, "INVALID_ARGUMENT", /not a public address/],
      ["a url with a password", { url: "http://a:b@example.org/a.pdf" }, "INVALID_ARGUMENT", /user name or password/],
      ["a url of 9,000 characters", { url: `http://example.org/${"a".repeat(9_000)}` }, "INVALID_ARGUMENT", /8192/],
      ["an empty file", { file: new Uint8Array(), fileName: "a.pdf" }, "INVALID_ARGUMENT", /empty/],
      ["a picture", { file: Buffer.from("\x89PNG\r\n\x1a\n", "latin1") }, "INVALID_ARGUMENT", /PNG/],
      ["plain text named pdf", { file: Buffer.from("hello"), fileName: "a.pdf" }, "INVALID_ARGUMENT", /plain text/],
      [
        "a file over the limit",
        { file: Buffer.concat([onePage, Buffer.alloc(2 ** 20)]) },
        "RESOURCE_EXHAUSTED",
        /larger than 1 MB/,
      ],
      ["expiresInDays 0", { file: onePage, expiresInDays: 0 }, "INVALID_ARGUMENT", /expiresInDays/],
      ["expiresInDays -2", { file: onePage, expiresInDays: -2 }, "INVALID_ARGUMENT", /expiresInDays/],
      ["expiresInDays of a million", { file: onePage, expiresInDays: 1e6 }, "INVALID_ARGUMENT", /expiresInDays/],
    ];
    test.each(refusals)("%s is refused", async (_, upload, code, message) => {
      const outcome = await scene.api.upload("extract", upload);
      expect(outcome).toMatchObject({ ok: false, code, message: expect.stringMatching(message) });
    });

    const datasetOf = async (job: JsonObject): Promise<JsonObject> =>
      objectAt(bodyOf(await scene.api.call("getDataset", { id: String(job["datasetId"]) })), "dataset");

    test.each(["extract", "vectorize"] as const)("%s fetches what a url names", async (method) => {
      const job = await uploaded(method, { url: `${scene.world.files.url}/one.pdf?key=1#top`, expiresInDays: 2 });
      expect(job).toMatchObject({ type: `datasets/${method}`, status: "IN_PROGRESS", createdAt: time });
      expect(await finished(job)).toMatchObject({ status: "SUCCESS", statusText: "" });
      const dataset = await datasetOf(job);
      expect(dataset).toMatchObject({
        fileName: "one.pdf",
        fileExt: "pdf",
        mimeType: "application/pdf",
        fileSize: onePage.length,
        sha256: createHash("sha256").update(onePage).digest("hex"),
        itemCount: 1,
      });
      expect(Number(dataset["expiresAt"]) - Number(dataset["createdAt"])).toBe(2 * 86_400_000);
      const shared = await scene.api.readShare(String(dataset["id"]), String(objectAt(dataset, "share")["token"]));
      expect(shared).toMatchObject({ ok: true, bytes: Buffer.from(onePage) });
    });

    test("a document that is being fetched is a dataset without content, and a cancel ends it", async () => {
      const job = await uploaded("vectorize", { url: `${scene.world.files.url}/stalled.pdf` });
      const datasetId = String(job["datasetId"]);
      const progress = async (): Promise<JsonObject> =>
        objectAt(objectAt(bodyOf(await scene.api.call("getJob", { id: String(job["id"]) })), "job"), "progress");
      await expect.poll(progress, { timeout: 10_000 }).toEqual({
        stage: "fetch",
        pagesDone: 0,
        pagesTotal: 0,
        bytesDone: Math.floor(onePage.length / 2),
        bytesTotal: onePage.length,
      });
      const dataset = await datasetOf(job);
      expect(dataset).toMatchObject({ fileName: "stalled.pdf", fileSize: 0, itemCount: 0, sha256: "" });
      expect(bodyOf(await scene.api.call("listItems", { datasetId }))).toMatchObject({ total: 0, data: [] });
      expect(bodyOf(await scene.api.call("search", { query: "lighthouse", datasetIds: [datasetId] }))["data"]).toEqual(
        [],
      );
      const token = String(objectAt(dataset, "share")["token"]);
      expect(await scene.api.readShare(datasetId, token)).toMatchObject({
        ok: false,
        code: "FAILED_PRECONDITION",
        message: expect.stringMatching(/still being fetched/),
      });
      await scene.api.call("cancelJob", { id: String(job["id"]) });
      expect(await finished(job)).toMatchObject({ status: "ERROR", statusText: "cancelled", canceledAt: time });
      await refused("getDataset", { id: datasetId }, "NOT_FOUND", /no dataset/);
    });

    test.each([
      ["/nothing.pdf", /answered 404 instead of the file/],
      ["/page.pdf", /cannot be used: the file is a web page \(HTML\)/],
    ])("what %s leads to ends in ERROR, and its dataset is gone", async (path, reason) => {
      const job = await uploaded("extract", { url: `${scene.world.files.url}${path}?key=secret` });
      const end = await finished(job);
      expect(end).toMatchObject({ status: "ERROR", statusText: expect.stringMatching(reason), finishedAt: time });
      expect(end["canceledAt"] ?? null).toBeNull();
      expect(JSON.stringify(end)).not.toContain("secret");
      await refused("getDataset", { id: String(job["datasetId"]) }, "NOT_FOUND", /no dataset/);
    });

    test("a refused upload leaves no dataset behind", async () => {
      const total = async (): Promise<JsonValue | undefined> =>
        bodyOf(await scene.api.call("listDatasets", { limit: 1 }))["total"];
      const before = await total();
      await scene.api.upload("extract", { file: Buffer.concat([onePage, Buffer.alloc(2 ** 20)]) });
      expect(await total()).toBe(before);
    });

    test("a document that only parsing shows to be broken ends in ERROR with the reason", async () => {
      const job = await finished(await uploaded("extract", { file: Buffer.from("%PDF-1.7\nnothing else") }));
      expect(job).toMatchObject({ status: "ERROR", statusText: expect.stringMatching(/damaged|not a PDF/) });
    });

    test("a document with a password ends in ERROR with the reason", async () => {
      const job = await finished(
        await uploaded("vectorize", { file: makePdf({ pages: [{ text: "secret" }], encrypted: true }) }),
      );
      expect(job).toMatchObject({ status: "ERROR", statusText: expect.stringMatching(/password/) });
    });
  });
}
