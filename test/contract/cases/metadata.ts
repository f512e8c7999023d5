import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { makePdf } from "../../fixtures/pdf.ts";
import { bodyOf, listAt, objectAt } from "../answers.ts";
import type { Scene } from "../scene.ts";
import { onePage } from "../world.ts";

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The metadata of datasets, and the filters that match it. */
export function metadataCases(scene: Scene): void {
  const { refused, uploaded, finished } = scene;
  const datasetOf = async (id: string) => objectAt(bodyOf(await scene.api.call("getDataset", { id })), "dataset");
  const update = async (request: JsonObject) =>
    objectAt(bodyOf(await scene.api.call("updateDataset", request)), "dataset");
  const list = async (filter: JsonObject) => bodyOf(await scene.api.call("listDatasets", { filter, limit: 100 }));
  /** The metadata of what a list by the filter has, by a field that tells this run from others. */
  const labels = async (filter: JsonObject) =>
    listAt(await list({ $and: [{ run: runOf() }, filter] }), "data")
      .map((dataset) => String(objectAt(dataset, "metadata")["label"]))
      .toSorted();
  const runOf = () => `metadata over ${scene.protocol}`;

  describe("metadata", () => {
    const all = [
      { label: "old", year: 2001, tags: ["a", "b"], draft: false },
      { label: "new", year: 2024, tags: ["b"], draft: true, customer: "42" },
      { label: "none" },
    ];
    const ids: string[] = [];
    beforeAll(async () => {
      for (const metadata of all) {
        const pages = [{ text: `The ${metadata.label} observatory has a telescope.` }];
        const upload = { file: makePdf({ pages }), fileName: "m.pdf", metadata: { ...metadata, run: runOf() } };
        const job = await uploaded("vectorize", upload);
        ids.push(String((await finished(job))["datasetId"]));
      }
    }, 60_000);

    test("a dataset has what was said with its upload, and nothing otherwise", async () => {
      expect((await datasetOf(ids[1] ?? ""))["metadata"]).toEqual({ ...all[1], run: runOf() });
      expect((await datasetOf(scene.world.zoo))["metadata"]).toEqual({});
    });

    test.each<[JsonObject, string[]]>([
      [{ year: 2001 }, ["old"]],
      [{ year: "2001" }, []],
      [{ year: { $gte: 2001, $lt: 2024 } }, ["old"]],
      [{ tags: "b" }, ["new", "old"]],
      [{ tags: { $contains: "a" } }, ["old"]],
      [{ label: { $in: ["none", "new"] } }, ["new", "none"]],
      [{ draft: { $ne: true } }, ["none", "old"]],
      [{ customer: { $exists: false } }, ["none", "old"]],
      [{ $or: [{ draft: true }, { $not: { year: { $exists: true } } }] }, ["new", "none"]],
      [{}, ["new", "none", "old"]],
    ])("a list by %j", async (filter, expected) => {
      expect(await labels(filter)).toEqual(expected);
    });

    test("a search finds pages of what passes alone", async () => {
      const search = async (request: JsonObject) => {
        const asked = { query: "telescope of the observatory", limit: 100, ...request };
        return listAt(bodyOf(await scene.api.call("search", asked)), "data").map(({ datasetId }) => String(datasetId));
      };
      const [old = "", fresh = "", none = ""] = ids;
      expect(await search({ filter: { run: runOf(), year: { $gt: 2020 } } })).toEqual([fresh]);
      expect(new Set(await search({ filter: { run: runOf() } }))).toEqual(new Set(ids));
      expect(await search({ filter: { run: "another" } })).toEqual([]);
      expect(await search({ filter: { year: 2001 }, datasetIds: [old, none] })).toEqual([old]);
    });

    test("items and hits bring the metadata of their document along where that is asked for", async () => {
      const [old = ""] = ids;
      const expected = { ...all[0], run: runOf() };
      const include = ["metadata"];
      const question = { query: "telescope of the observatory", datasetIds: [old], neighbours: 1 };
      const several = { wanted: [{ datasetId: old }, { datasetId: scene.world.zoo, cols: ["2"] }] };
      const asked = async (method: "listItems" | "getItems" | "search", request: JsonObject) =>
        listAt(bodyOf(await scene.api.call(method, request)), "data");
      const of = (items: readonly JsonObject[]) => items.map((item) => item["metadata"]);
      expect(of(await asked("search", { ...question, include }))).toEqual([expected]);
      expect(of(await asked("search", question))).toEqual([undefined]);
      expect(of(await asked("listItems", { datasetId: old, row: "jpg", include }))).toEqual([expected]);
      expect(of(await asked("listItems", { datasetId: old, row: "jpg" }))).toEqual([undefined]);
      expect(of(await asked("getItems", { ...several, include }))).toEqual([expected, {}]);
    });

    test("neighbours bring it as well", async () => {
      const question = { query: "penguins", datasetIds: [scene.world.zoo], limit: 1, neighbours: 1 };
      const [hit] = listAt(bodyOf(await scene.api.call("search", { ...question, include: ["metadata"] })), "data");
      expect(listAt(hit ?? {}, "neighbours").map(({ metadata }) => metadata)).toEqual([{}]);
    });

    test("an upload session keeps what its document is to have", async () => {
      const metadata = { label: "session", run: `${runOf()} in parts` };
      const start = { fileName: "s.pdf", fileExt: "pdf", fileType: "application/pdf", jobType: "extract", metadata };
      const key = String(objectAt(bodyOf(await scene.api.call("startUpload", start)), "upload")["key"]);
      bodyOf(await scene.api.appendPart({ key, partNumber: 1, file: onePage }));
      const job = objectAt(bodyOf(await scene.api.call("endUpload", { key })), "job");
      expect((await datasetOf(String(job["datasetId"])))["metadata"]).toEqual(metadata);
    });

    test("a document that is fetched has it too", async () => {
      const metadata = { run: `${runOf()} fetched` };
      const job = await uploaded("extract", { url: `${scene.world.files.url}/one.pdf`, metadata });
      expect((await datasetOf(String(job["datasetId"])))["metadata"]).toEqual(metadata);
    });

    test("updateDataset changes what is named, and keeps the rest", async () => {
      const id = String((await uploaded("extract", { file: onePage, metadata: { a: 1, b: ["x"] } }))["datasetId"]);
      const before = await datasetOf(id);
      const changed = await update({ id, metadata: { a: null, c: true }, fileName: "../renamed.pdf" });
      expect(changed).toMatchObject({ id, fileName: "renamed.pdf", metadata: { b: ["x"], c: true } });
      expect(Number(changed["updatedAt"])).toBeGreaterThanOrEqual(Number(before["createdAt"]));
      const expiring = await update({ id, expiresInDays: 2 });
      expect(expiring).toMatchObject({ fileName: "renamed.pdf", metadata: { b: ["x"], c: true } });
      expect(Number(expiring["expiresAt"]) - Number(expiring["updatedAt"])).toBe(2 * 86_400_000);
      expect((await update({ id, expiresInDays: -1 }))["expiresAt"] ?? null).toBeNull();
      expect(await update({ id })).toMatchObject({ fileName: "renamed.pdf", metadata: { b: ["x"], c: true } });
      await refused("updateDataset", { id, expiresInDays: 0 }, "INVALID_ARGUMENT", /expiresInDays/);
    });

    test("deleteDatasets tells what it would delete, and deletes it when it is told so", async () => {
      const run = `${runOf()} to go`;
      const made: string[] = [];
      for (const label of ["a", "b", "c"]) {
        made.push(String((await uploaded("extract", { file: onePage, metadata: { run, label } }))["datasetId"]));
      }
      const deletion = async (request: JsonObject) =>
        objectAt(bodyOf(await scene.api.call("deleteDatasets", request)), "deletion");
      const filter = { run, label: { $ne: "c" } };
      const told = await deletion({ filter });
      expect(told).toMatchObject({ dryRun: true, matching: 2, remaining: 2, freedBytes: 2 * onePage.length });
      expect(new Set(listOf(told["ids"]))).toEqual(new Set(made.slice(0, 2)));
      expect((await list({ run }))["total"]).toBe(3);

      expect(await deletion({ ids: made.slice(1), filter })).toMatchObject({ ids: [made[1]] });
      const done = await deletion({ filter, dryRun: false });
      expect(done).toMatchObject({ matching: 2, freedBytes: 2 * onePage.length });
      expect(Number(done["remaining"] ?? 0)).toBe(0);
      expect(new Set(listOf(done["ids"]))).toEqual(new Set(made.slice(0, 2)));
      expect((await list({ run }))["total"]).toBe(1);
      const byIds = await deletion({ ids: [...made, scene.world.foreign], dryRun: false });
      expect(byIds).toMatchObject({ matching: 1, ids: [made[2]] });
      // Neither ids nor a filter select any dataset.
      expect(Number((await deletion({ dryRun: false }))["matching"] ?? 0)).toBe(0);
    });

    test("updateDataset does not reach a foreign dataset", () =>
      refused("updateDataset", (w) => ({ id: w.foreign, fileName: "mine.pdf" }), "NOT_FOUND", /no dataset/));

    test.each<[string, JsonObject, RegExp]>([
      ["an object in a field", { a: { b: 1 } }, /metadata\.a must be a text, a number/],
      ["a field that begins like an operator", { $a: 1 }, /begins with \$/],
      ["a list of lists", { a: [[1]] }, /metadata\.a must be/],
      ["too long a text", { a: "x".repeat(1_025) }, /longer than 1024 bytes/],
      ["too many fields", Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`f${at}`, 1])), /65 fields/],
      ["too many values", { a: Array.from({ length: 257 }, () => 1) }, /257 values/],
    ])("metadata with %s is refused", async (_, metadata, message) => {
      await refused("updateDataset", (w) => ({ id: w.plain, metadata }), "INVALID_ARGUMENT", message);
      const upload = await scene.api.upload("extract", { file: onePage, metadata });
      expect(upload).toMatchObject({ ok: false, code: "INVALID_ARGUMENT", message: expect.stringMatching(message) });
    });

    const nested = (depth: number): JsonObject =>
      Array.from({ length: depth }).reduce<JsonObject>((inner) => ({ $not: inner }), { a: 1 });
    test.each<[string, JsonObject, RegExp]>([
      ["an unknown operator", { a: { $regex: "x" } }, /filter\.a\.\$regex is not an operator/],
      ["an operator without a field", { $gt: 1 }, /filter\.\$gt is not an operator/],
      ["null", { a: null }, /\$exists|must be an object/],
      ["an empty list", { $or: [] }, /filter\.\$or must be a list/],
      ["an order of truth values", { a: { $gt: true } }, /have no order/],
      ["too many levels", nested(6), /5 levels/],
      ["far too many levels", nested(28), /5 levels/],
      ["too many conditions", { $or: Array.from({ length: 101 }, () => ({ a: 1 })) }, /100 conditions/],
      ["too many values", { a: { $in: Array.from({ length: 1_001 }, (_, at) => at) } }, /1000 values/],
    ])("a filter with %s is refused", async (_, filter: JsonObject, message) => {
      await refused("search", { query: "x", filter }, "INVALID_ARGUMENT", message);
      if (JSON.stringify(filter satisfies JsonValue).length > 3_000) return;
      await refused("listDatasets", { filter }, "INVALID_ARGUMENT", message);
    });
  });
}
