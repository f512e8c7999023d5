import { createHash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { makePdf } from "../../fixtures/pdf.ts";
import { bodyOf, objectAt, refusalOf } from "../answers.ts";
import type { CallOptions, Upload } from "../api.ts";
import type { Scene } from "../scene.ts";

const sumOf = (file: Uint8Array): string => createHash("sha256").update(file).digest("hex");

/** Uploads of bytes that the workspace has already. */
export function sameBytesCases(scene: Scene): void {
  const { uploaded, finished } = scene;
  const documentOf = (text: string) => makePdf({ pages: [{ text: `${text} over ${scene.protocol}` }] });
  const copiesOf = async (file: Uint8Array) =>
    Number(bodyOf(await scene.api.call("listDatasets", { sha256: [sumOf(file)] }))["total"]);
  const jobOf = async (method: "extract" | "vectorize", upload: Upload, options: CallOptions = {}) =>
    objectAt(bodyOf(await scene.api.upload(method, upload, options)), "job");
  const refusedUpload = async (upload: Upload, message: RegExp) =>
    expect(await scene.api.upload("extract", upload)).toMatchObject({
      ok: false,
      code: "INVALID_ARGUMENT",
      message: expect.stringMatching(message),
    });
  const session = { fileName: "s.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract" };
  const start = async (request: JsonObject) => bodyOf(await scene.api.call("startUpload", { ...session, ...request }));

  describe("the same bytes again", () => {
    test("make another dataset, unless the one there is shall be returned", async () => {
      const file = documentOf("again");
      const first = await finished(await uploaded("extract", { file, fileName: "first.pdf", metadata: { n: 1 } }));
      for (const sha256 of [undefined, sumOf(file), sumOf(file).toUpperCase()]) {
        const said = { fileName: "second.pdf", metadata: { n: 2 }, expiresInDays: 1, ifExists: "return", sha256 };
        expect(await jobOf("extract", { file, ...said })).toEqual(first);
      }
      expect(await copiesOf(file)).toBe(1);
      const id = String(first["datasetId"]);
      const dataset = objectAt(bodyOf(await scene.api.call("getDataset", { id })), "dataset");
      expect(dataset).toMatchObject({ fileName: "first.pdf", metadata: { n: 1 } });
      expect(dataset["expiresAt"] ?? null).toBeNull();
      for (const ifExists of [undefined, "create"]) await jobOf("extract", { file, ifExists, sha256: sumOf(file) });
      expect(await copiesOf(file)).toBe(3);
    });

    test("need not be sent where their SHA-256 comes first", async () => {
      const file = documentOf("unsent");
      const sent = { ifExists: "return", sha256: sumOf(file) };
      await refusedUpload(sent, /no dataset with the SHA-256 \w{64}; give the document as file/);
      const first = await finished(await uploaded("extract", { file }));
      expect(await jobOf("extract", sent)).toEqual(first);
    });

    test("are made searchable once, by the job that is answered", async () => {
      const file = documentOf("searchable");
      const extracted = await finished(await uploaded("extract", { file }));
      const asked = { file, ifExists: "return" };
      const jobs = await Promise.all([1, 2].map(() => jobOf("vectorize", asked)));
      const [job = {}, other = {}] = jobs;
      expect(job).toMatchObject({ type: "datasets/vectorize", datasetId: extracted["datasetId"] });
      expect(other["id"]).toBe(job["id"]);
      const last = await finished(job);
      expect(last).toMatchObject({ status: "SUCCESS" });
      expect(await jobOf("vectorize", asked)).toEqual(last);
      expect(await jobOf("extract", asked)).toEqual(last);
      await jobOf("extract", { file });
      expect(await jobOf("vectorize", asked)).toEqual(last);
    });

    test("are those that were said to come, or nothing is kept", async () => {
      const file = documentOf("other");
      for (const ifExists of [undefined, "return"])
        await refusedUpload({ file, sha256: sumOf(documentOf("said")), ifExists }, /SHA-256/);
      expect(await copiesOf(file)).toBe(0);
    });

    test.each<[string, Upload, RegExp]>([
      ["return with an address", { url: "https://example.com/a.pdf", ifExists: "return" }, /ifExists.*url/],
      ["a sum with an address", { url: "https://example.com/a.pdf", sha256: "0".repeat(64) }, /sha256.*url/],
      ["a sum that is none", { sha256: "abc" }, /sha256/],
      ["a word that there is not", { ifExists: "replace" }, /ifExists/],
    ])("refuses %s", async (_, upload, message) => {
      const refusal = refusalOf(await scene.api.upload("extract", upload));
      expect(refusal).toMatchObject({ code: "INVALID_ARGUMENT", message: expect.stringMatching(message) });
    });

    test("do not count where the work on them has failed", async () => {
      const file = Buffer.from(`%PDF-1.7 broken over ${scene.protocol}`);
      const first = await finished(await uploaded("extract", { file }));
      expect(first).toMatchObject({ status: "ERROR" });
      const second = await finished(await jobOf("extract", { file, ifExists: "return", sha256: sumOf(file) }));
      expect(second["id"]).not.toBe(first["id"]);
    });

    test("are not those of another workspace", async () => {
      const file = documentOf("foreign");
      const foreign = await jobOf("extract", { file }, { key: scene.world.foreignKey });
      const asked = { ifExists: "return", sha256: sumOf(file) };
      await refusedUpload(asked, /no dataset with the SHA-256 \w{64}; give the document as file/);
      expect(objectAt(await start(asked), "upload")["key"]).toMatch(/^tmp_/);
      expect((await jobOf("extract", { file, ...asked }))["datasetId"]).not.toBe(foreign["datasetId"]);
      // Other cases count what is in that workspace.
      const gone = await scene.api.call(
        "deleteDataset",
        { id: String(foreign["datasetId"]) },
        { key: scene.world.foreignKey },
      );
      expect(gone).toMatchObject({ ok: true });
    });

    test("are not those that a bound key does not see", async () => {
      const filter = { reader: `bound over ${scene.protocol}` };
      const made = objectAt(bodyOf(await scene.api.call("createKey", { name: "same", filter })), "key");
      const options = { key: String(made["key"]) };
      const file = documentOf("hidden");
      const hidden = await uploaded("extract", { file, metadata: { reader: "another" } });
      const asked = { file, ifExists: "return", sha256: sumOf(file), metadata: filter };
      const seen = await jobOf("extract", asked, options);
      expect(seen["datasetId"]).not.toBe(hidden["datasetId"]);
      expect((await jobOf("extract", asked, options))["id"]).toBe(seen["id"]);
    });

    test("keep their answer with an idempotency key, and what is not read is looked for again", async () => {
      const file = documentOf("keyed");
      const asked = { file, fileName: "keyed.pdf", ifExists: "return" };
      const options = { idempotencyKey: "same-bytes" };
      const first = await jobOf("extract", asked, options);
      expect(await jobOf("extract", asked, options)).toEqual(first);
      const early = { ...asked, sha256: sumOf(file) };
      const earlyOptions = { idempotencyKey: "same-sum" };
      expect((await jobOf("extract", early, earlyOptions))["id"]).toBe(first["id"]);
      bodyOf(await scene.api.call("deleteDataset", { id: String(first["datasetId"]) }));
      const anew = await jobOf("extract", early, earlyOptions);
      expect(anew["id"]).not.toBe(first["id"]);
      expect((await jobOf("extract", early, earlyOptions))["id"]).toBe(anew["id"]);
      expect(await copiesOf(file)).toBe(1);
    });

    test("open no session", async () => {
      const file = documentOf("in parts");
      const asked = { ifExists: "return", sha256: sumOf(file) };
      await scene.refused("startUpload", { ...session, ifExists: "return" }, "INVALID_ARGUMENT", /sha256/);
      const opened = objectAt(await start(asked), "upload");
      expect(opened["job"] ?? null).toBeNull();
      bodyOf(await scene.api.appendPart({ key: String(opened["key"]), partNumber: 1, file }));
      const end = { key: String(opened["key"]), checksum: sumOf(file) };
      const job = await finished(objectAt(bodyOf(await scene.api.call("endUpload", end)), "job"));
      const returned = objectAt(await start(asked), "upload");
      expect(returned).toMatchObject({ key: "", expiresAt: 0 });
      expect(objectAt(returned, "job")).toEqual(job);
      expect(objectAt(await start({ ...asked, jobType: "vectorize" }), "upload")).toMatchObject({
        job: { type: "datasets/vectorize", datasetId: job["datasetId"] },
      });
      expect(objectAt(await start({ sha256: sumOf(file) }), "upload")["key"]).toMatch(/^tmp_/);
    });
  });
}
