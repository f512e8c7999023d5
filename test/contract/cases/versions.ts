import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { makePdf } from "../../fixtures/pdf.ts";
import { bodyOf, listAt, objectAt, refusalOf } from "../answers.ts";
import type { Version } from "../api.ts";
import type { Scene } from "../scene.ts";
import { longDocument, onePage, unknownDataset } from "../world.ts";

const twoPages = makePdf({
  pages: [{ text: "Harbours and their masters." }, { text: "Anchors in the mud of the harbour." }],
});

export function versionsCases(scene: Scene): void {
  const { uploaded, finished } = scene;

  const replaced = async (id: string, version: Version = { file: twoPages, fileName: "two.pdf" }) =>
    objectAt(bodyOf(await scene.api.replace(id, version)), "job");
  const get = async (id: string) => objectAt(bodyOf(await scene.api.call("getDataset", { id })), "dataset");
  const items = async (datasetId: string) =>
    listAt(bodyOf(await scene.api.call("listItems", { datasetId, row: "jpg", sort: ["col"] })), "data");
  const stored = async (method: "extract" | "vectorize" = "extract") =>
    String((await finished(await uploaded(method)))["datasetId"]);
  const read = (resource: JsonObject) =>
    scene.api.readShare(String(resource["id"]), String(objectAt(resource, "share")["token"]));

  describe("a new version of a document", () => {
    test("takes the place of the one before, under the same id; links to that end", async () => {
      const id = await stored();
      bodyOf(await scene.api.call("updateDataset", { id, metadata: { customer: 42 }, expiresInDays: 30 }));
      const before = await get(id);
      const [pageBefore] = await items(id);
      const job = await replaced(id);
      expect(job).toMatchObject({ type: "datasets/extract", status: "IN_PROGRESS", datasetId: id });
      expect(await finished(job)).toMatchObject({ status: "SUCCESS", datasetId: id });
      const { fileSize, sha256, itemCount, fileName, updatedAt: _, share, ...same } = await get(id);
      expect({ fileSize, itemCount, fileName }).toEqual({
        fileSize: twoPages.length,
        itemCount: 2,
        fileName: "two.pdf",
      });
      expect(sha256).not.toBe(before["sha256"]);
      expect(before).toMatchObject(same);
      const pages = await items(id);
      expect(pages.map(({ col, datasetId, fileName: name }) => ({ col, datasetId, name }))).toEqual(
        [1, 2].map((col) => ({ col, datasetId: id, name: "two.pdf" })),
      );
      expect(await read(pageBefore ?? {})).toMatchObject({ ok: false, code: "PERMISSION_DENIED" });
      expect(await read(pages[1] ?? {})).toMatchObject({ ok: true, contentType: "image/jpeg" });
      expect(await read({ id, share: share ?? null })).toMatchObject({
        ok: true,
        fileName: "two.pdf",
        size: twoPages.length,
      });
      expect(await read(before)).toMatchObject({ ok: false, code: "PERMISSION_DENIED" });
      // And another one.
      await finished(await replaced(id, { file: onePage, fileName: "one.pdf" }));
      expect(await get(id)).toMatchObject({ id, itemCount: 1, metadata: { customer: 42 } });
      const { data } = bodyOf(await scene.api.call("listDatasets", { filter: { customer: 42 } }));
      expect(data).toMatchObject([{ id, itemCount: 1 }]);
      bodyOf(await scene.api.call("deleteDataset", { id }));
      expect(await scene.api.call("getDataset", { id })).toMatchObject({ ok: false, code: "NOT_FOUND" });
    });

    test("is searchable where the one before was, or as it is said", async () => {
      const id = await stored("vectorize");
      const search = async (query: string) =>
        listAt(bodyOf(await scene.api.call("search", { query: { text: query }, datasetIds: [id] })), "data");
      const [found] = await search("lighthouses");
      expect(found).toMatchObject({ datasetId: id, col: 1 });
      const job = await replaced(id);
      expect(job).toMatchObject({ type: "datasets/vectorize" });
      expect(await finished(job)).toMatchObject({ status: "SUCCESS" });
      const [anchors] = await search("anchors in the mud");
      expect(anchors).toMatchObject({ datasetId: id, col: 2, fileName: "two.pdf", pageCount: 2 });
      expect(anchors?.["id"]).not.toBe(found?.["id"]);
      await finished(await replaced(id, { file: onePage, vectorize: false }));
      expect(await search("lighthouses")).toEqual([]);
      const again = objectAt(bodyOf(await scene.api.call("vectorizeDataset", { id })), "job");
      expect(await finished(again)).toMatchObject({ status: "SUCCESS", datasetId: id });
      expect(await search("lighthouses")).toMatchObject([{ datasetId: id }]);
      expect(await finished(await replaced(await stored(), { file: onePage, vectorize: true }))).toMatchObject({
        type: "datasets/vectorize",
        status: "SUCCESS",
      });
    });

    test("that cannot be read leaves the one before, and its links", async () => {
      const id = await stored();
      const before = await get(id);
      const [page] = await items(id);
      const job = await replaced(id, { file: Buffer.from("%PDF-1.7\nnothing else"), fileName: "bad.pdf" });
      expect(await finished(job)).toMatchObject({ status: "ERROR", datasetId: id });
      const { share: _, ...same } = before;
      expect(await get(id)).toMatchObject(same);
      expect(await read(page ?? {})).toMatchObject({ ok: true });
      expect(await scene.api.call("retryJob", { id: String(job["id"]) })).toMatchObject({
        ok: false,
        code: "NOT_FOUND",
      });
      await finished(await replaced(id));
      expect(await get(id)).toMatchObject({ itemCount: 2 });
    });

    test("is one at a time, and can be cancelled", async () => {
      const id = await stored();
      const job = await replaced(id, { file: longDocument, fileName: "long.pdf" });
      const second = refusalOf(await scene.api.replace(id, { file: twoPages }));
      expect(second).toMatchObject({ code: "ALREADY_EXISTS", message: expect.stringMatching(/is being read/) });
      await scene.refused("vectorizeDataset", { id }, "ALREADY_EXISTS", /new version/);
      expect(await get(id)).toMatchObject({ itemCount: 1, fileName: "one.pdf" });
      const cancelled = objectAt(bodyOf(await scene.api.call("cancelJob", { id: String(job["id"]) })), "job");
      expect(cancelled).toMatchObject({ status: "ERROR", datasetId: id });
      expect(await get(id)).toMatchObject({ itemCount: 1, fileName: "one.pdf" });
      expect(await items(id)).toHaveLength(1);
    });

    test("goes with a dataset that is deleted meanwhile", async () => {
      const id = await stored();
      const job = await replaced(id, { file: longDocument, fileName: "long.pdf" });
      bodyOf(await scene.api.call("deleteDataset", { id }));
      expect(await finished(job)).toMatchObject({ status: "ERROR", datasetId: id });
      expect(await scene.api.call("getDataset", { id })).toMatchObject({ ok: false, code: "NOT_FOUND" });
    });

    test("can be fetched from an address", async () => {
      const id = await stored();
      await finished(await replaced(id));
      expect(await finished(await replaced(id, { url: `${scene.world.files.url}/one.pdf` }))).toMatchObject({
        status: "SUCCESS",
      });
      expect(await get(id)).toMatchObject({ id, itemCount: 1, fileName: "one.pdf", fileSize: onePage.length });
      expect(await finished(await replaced(id, { url: `${scene.world.files.url}/page.pdf` }))).toMatchObject({
        status: "ERROR",
      });
      expect(await get(id)).toMatchObject({ itemCount: 1, fileSize: onePage.length });
    });

    test("can come in parts", async () => {
      const id = await stored("vectorize");
      const start = { fileName: "parts.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "", datasetId: id };
      const { key } = objectAt(bodyOf(await scene.api.call("startUpload", start)), "upload");
      bodyOf(await scene.api.appendPart({ file: twoPages, key: String(key), partNumber: 1 }));
      const job = objectAt(bodyOf(await scene.api.call("endUpload", { key: String(key) })), "job");
      expect(job).toMatchObject({ type: "datasets/vectorize", datasetId: id });
      expect(await finished(job)).toMatchObject({ status: "SUCCESS" });
      expect(await get(id)).toMatchObject({ id, itemCount: 2, fileName: "parts.pdf" });
      await scene.refused(
        "startUpload",
        { ...start, metadata: { a: 1 } },
        "INVALID_ARGUMENT",
        /metadata and expiry stay/,
      );
      await scene.refused("startUpload", { ...start, datasetId: unknownDataset }, "NOT_FOUND", /no dataset/);
      await scene.refused("startUpload", { ...start, datasetId: "" }, "INVALID_ARGUMENT", /jobType/);
    });

    test("is made once, however often it is sent", async () => {
      const id = await stored();
      const options = { idempotencyKey: `version-${id}` };
      const first = await scene.api.replace(id, { file: twoPages }, options);
      await finished(objectAt(bodyOf(first), "job"));
      expect(await scene.api.replace(id, { file: twoPages }, options)).toEqual(first);
      expect(await scene.api.replace(id, { file: onePage }, options)).toMatchObject({
        ok: false,
        code: "FAILED_PRECONDITION",
      });
    });

    test("is refused for what is no dataset of the caller's, and for other bytes than it says", async () => {
      for (const id of [unknownDataset, scene.world.foreign])
        expect(await scene.api.replace(id, { file: twoPages })).toMatchObject({ ok: false, code: "NOT_FOUND" });
      const id = await stored();
      const refused = (version: Version) => scene.api.replace(id, version).then(refusalOf);
      expect(await refused({ file: twoPages, sha256: "00".repeat(32) })).toMatchObject({ code: "INVALID_ARGUMENT" });
      expect(await refused({ file: Buffer.from("hello, this is text") })).toMatchObject({
        message: expect.stringMatching(/pdf/i),
      });
      expect(await scene.api.replace(id, { file: twoPages }, { key: scene.world.readKey })).toMatchObject({
        ok: false,
        code: "PERMISSION_DENIED",
      });
      expect(await get(id)).toMatchObject({ itemCount: 1 });
    });
  });
}
