import type { JsonValue } from "@bufbuild/protobuf";
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
