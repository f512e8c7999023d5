import { describe, expect, test } from "vitest";
import { makePdf } from "../../fixtures/pdf.ts";
import { bodyOf, listAt, objectAt } from "../answers.ts";
import type { Scene } from "../scene.ts";

export function idempotencyCases(scene: Scene): void {
  const { protocol } = scene;
  const documentOf = (name: string): Buffer => makePdf({ pages: [{ text: `${name} over ${protocol}` }] });
  const countOf = async (fileName: string): Promise<number> => {
    const listed = listAt(bodyOf(await scene.api.call("listDatasets", { limit: 100 })), "data");
    return listed.filter((dataset) => dataset["fileName"] === fileName).length;
  };

  describe("idempotency keys", () => {
    test("an upload that is repeated gets the first answer and is done once", async () => {
      const upload = { file: documentOf("once"), fileName: "once.pdf" };
      const options = { idempotencyKey: "once" };
      const first = await scene.api.upload("extract", upload, options);
      bodyOf(first);
      expect(await scene.api.upload("extract", upload, options)).toEqual(first);
      expect(await countOf("once.pdf")).toBe(1);
    });

    test.each([
      ["another file of the same name", { file: documentOf("changed"), fileName: "same.pdf" }],
      ["another name", { file: documentOf("same"), fileName: "other.pdf" }],
      ["another setting", { file: documentOf("same"), fileName: "same.pdf", expiresInDays: 2 }],
      ["a larger file", { file: Buffer.concat([documentOf("same"), Buffer.alloc(100_000)]), fileName: "same.pdf" }],
    ])("%s is another request", async (what, upload) => {
      const options = { idempotencyKey: `same-${what.replaceAll(" ", "-")}` };
      bodyOf(await scene.api.upload("extract", { file: documentOf("same"), fileName: "same.pdf" }, options));
      expect(await scene.api.upload("extract", upload, options)).toMatchObject({
        ok: false,
        code: "FAILED_PRECONDITION",
        message: expect.stringMatching(/use a new key/),
      });
    });

    test("a key means something else in another method and in another workspace", async () => {
      const upload = { file: documentOf("apart"), fileName: "apart.pdf" };
      const options = { idempotencyKey: "apart" };
      const extracted = bodyOf(await scene.api.upload("extract", upload, options));
      const vectorized = bodyOf(await scene.api.upload("vectorize", upload, options));
      const foreign = bodyOf(await scene.api.upload("extract", upload, { ...options, key: scene.world.foreignKey }));
      const ids = [extracted, vectorized, foreign].map((body) => objectAt(body, "job")["id"]);
      expect(new Set(ids).size).toBe(3);
    });

    test("an attempt that was refused leaves the key free", async () => {
      const options = { idempotencyKey: "refused" };
      const refused = await scene.api.upload("extract", { file: Buffer.from("no document") }, options);
      expect(refused).toMatchObject({ ok: false, code: "INVALID_ARGUMENT" });
      bodyOf(await scene.api.upload("extract", { file: documentOf("refused") }, options));
    });

    test("of two at the same time one is done", async () => {
      const upload = { file: documentOf("twice"), fileName: "twice.pdf" };
      const options = { idempotencyKey: "twice" };
      const outcomes = await Promise.all([1, 2, 3].map(() => scene.api.upload("extract", upload, options)));
      const done = outcomes.filter(({ ok }) => ok);
      expect(done.length).toBeGreaterThan(0);
      for (const outcome of done) expect(outcome).toEqual(done[0]);
      for (const outcome of outcomes.filter(({ ok }) => !ok)) {
        expect(outcome).toMatchObject({ code: "ALREADY_EXISTS", message: expect.stringMatching(/still being worked/) });
      }
      expect(await countOf("twice.pdf")).toBe(1);
    });

    test("sessions and jobs for stored documents are made once as well", async () => {
      const start = { fileName: "parts.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
      const options = { idempotencyKey: "session" };
      const first = await scene.api.call("startUpload", start, options);
      bodyOf(first);
      expect(await scene.api.call("startUpload", start, options)).toEqual(first);
      const { datasetId } = await scene.uploaded("extract", { file: documentOf("later"), fileName: "later.pdf" });
      const vectorized = await scene.api.call("vectorizeDataset", { id: String(datasetId) }, options);
      bodyOf(vectorized);
      expect(await scene.api.call("vectorizeDataset", { id: String(datasetId) }, options)).toEqual(vectorized);
    });

    test("a new API key is shown again to the key that asked for it, and to no other", async () => {
      const options = { idempotencyKey: "new-key" };
      const first = await scene.api.call("createKey", { name: "deploy", scopes: ["admin"] }, options);
      const key = String(objectAt(bodyOf(first), "key")["key"]);
      expect(await scene.api.call("createKey", { name: "deploy", scopes: ["admin"] }, options)).toEqual(first);
      const other = await scene.api.call("createKey", { name: "deploy", scopes: ["admin"] }, { ...options, key });
      expect(other).toMatchObject({ ok: false, code: "FAILED_PRECONDITION", message: expect.stringMatching(/secret/) });
    });

    test.each(["two words", "ü", "x".repeat(256)])("%j is no key", async (idempotencyKey) => {
      const outcome = scene.api.upload("extract", { file: documentOf("bad") }, { idempotencyKey });
      expect(await outcome).toMatchObject({ ok: false, code: "INVALID_ARGUMENT" });
    });
  });
}
