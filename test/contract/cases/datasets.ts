import { earliest, latest } from "../clock.ts";
import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { bodyOf, listAt, objectAt, share, time } from "../answers.ts";
import type { Scene } from "../scene.ts";
import { longDocument, onePage, unknownDataset, type World, zooPages } from "../world.ts";

export function datasetsCases(scene: Scene): void {
  const { refused, uploaded, finished } = scene;

  describe("vectorizeDataset", () => {
    test("makes an extracted dataset searchable, once", async () => {
      const { datasetId } = await finished(await uploaded("extract"));
      const job = objectAt(bodyOf(await scene.api.call("vectorizeDataset", { id: String(datasetId) })), "job");
      expect(job).toMatchObject({ type: "datasets/vectorize", status: "IN_PROGRESS", datasetId });
      expect(await finished(job)).toMatchObject({ status: "SUCCESS" });
      const found = listAt(
        bodyOf(await scene.api.call("search", { query: "lighthouse", datasetIds: [String(datasetId)] })),
        "data",
      );
      expect(found).toHaveLength(1);
      await refused("vectorizeDataset", { id: String(datasetId) }, "ALREADY_EXISTS", /has been vectorized/);
    });

    test("is accepted once, however many ask at once", async () => {
      const { datasetId } = await finished(await uploaded("extract"));
      const id = String(datasetId);
      const outcomes = await Promise.all([1, 2, 3, 4].map(() => scene.api.call("vectorizeDataset", { id })));
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      const codes = outcomes.flatMap((outcome) => (outcome.ok ? [] : outcome.code));
      expect(codes).toEqual(["ALREADY_EXISTS", "ALREADY_EXISTS", "ALREADY_EXISTS"]);
    });

    test("is refused while it is under way", async () => {
      const job = await uploaded("vectorize", { file: longDocument, fileName: "long.pdf" });
      const id = String(job["datasetId"]);
      await refused("vectorizeDataset", { id }, "ALREADY_EXISTS", /is being vectorized/);
      bodyOf(await scene.api.call("deleteDataset", { id }));
    });

    test("is refused for a vectorized dataset", () =>
      refused("vectorizeDataset", (w) => ({ id: w.zoo }), "ALREADY_EXISTS", /vectorized/));
    test("knows no unknown dataset", () =>
      refused("vectorizeDataset", { id: unknownDataset }, "NOT_FOUND", /no dataset/));
    test("knows no foreign dataset", () =>
      refused("vectorizeDataset", (w) => ({ id: w.foreign }), "NOT_FOUND", /no dataset/));
  });

  describe("datasets", () => {
    test("getDataset answers with every field", async () => {
      const dataset = objectAt(bodyOf(await scene.api.call("getDataset", { id: scene.world.zoo })), "dataset");
      expect(dataset).toMatchObject({
        id: scene.world.zoo,
        workspaceId: scene.world.workspaceId,
        type: "doc",
        itemCount: zooPages.length,
        fileName: "zoo.pdf",
        fileExt: "pdf",
        mimeType: "application/pdf",
        fileSize: time,
        createdAt: time,
        share,
      });
    });

    test("getDataset takes the lifetime of the link", async () => {
      const before = earliest();
      const { share: link } = objectAt(
        bodyOf(await scene.api.call("getDataset", { id: scene.world.zoo, expiresInSeconds: 5 })),
        "dataset",
      );
      const expiresAt = Number(objectAt({ link: link ?? null }, "link")["expiresAt"]);
      expect(expiresAt).toBeGreaterThan(before);
      expect(expiresAt).toBeLessThanOrEqual(latest() + 5_000);
    });

    test.each([
      ["an unknown one", () => ({ id: unknownDataset })],
      ["a foreign one", (w: World) => ({ id: w.foreign })],
      ["what is no id", () => ({ id: "../../etc/passwd" })],
      ["another kind of id", (w: World) => ({ id: w.zooJob })],
    ])("getDataset does not find %s", (_, request) => refused("getDataset", request, "NOT_FOUND", /no dataset/));

    test("a program tells by the reason what is missing", async () => {
      const outcome = await scene.api.call("getDataset", { id: unknownDataset });
      expect(outcome).toMatchObject({ ok: false, reason: "DATASET_NOT_FOUND" });
    });

    test("a foreign and an unknown dataset are refused with the same words", async () => {
      const [foreign, unknown] = await Promise.all([
        scene.api.call("getDataset", { id: scene.world.foreign }),
        scene.api.call("getDataset", { id: unknownDataset }),
      ]);
      if (foreign.ok || unknown.ok) throw new Error("both must be refused");
      expect(foreign.message.replace(scene.world.foreign, "ID")).toBe(unknown.message.replace(unknownDataset, "ID"));
    });

    test("listDatasets lists the workspace's own, newest first", async () => {
      const body = bodyOf(await scene.api.call("listDatasets", { limit: 100 }));
      const data = listAt(body, "data");
      expect(body["total"]).toBe(data.length);
      const ids = data.map(({ id }) => id);
      expect(ids).toContain(scene.world.zoo);
      expect(ids).not.toContain(scene.world.foreign);
      const times = data.map(({ createdAt }) => Number(createdAt));
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(data[0]).toMatchObject({ share });
    });

    test("listDatasets tells formats apart, and what is searchable", async () => {
      const { zoo, plain } = scene.world;
      const idsOf = async (request: JsonObject): Promise<unknown[]> =>
        listAt(bodyOf(await scene.api.call("listDatasets", { limit: 100, ...request })), "data").map(({ id }) => id);
      const searchable = await idsOf({ searchable: true, fileExt: ["PDF", "docx"] });
      expect([searchable.includes(zoo), searchable.includes(plain)]).toEqual([true, false]);
      expect(await idsOf({ searchable: false })).toContain(plain);
      expect(await idsOf({ fileExt: ["xlsx"] })).toEqual([]);
      const shown = async (id: string): Promise<unknown> =>
        objectAt(bodyOf(await scene.api.call("getDataset", { id })), "dataset")["searchable"] ?? false;
      expect([await shown(zoo), await shown(plain)]).toEqual([true, false]);
      await refused("listDatasets", { fileExt: ["../pdf"] }, "INVALID_ARGUMENT", /file_?ext/i);
    });

    test("listDatasets pages without gaps or repeats", async () => {
      const all = listAt(bodyOf(await scene.api.call("listDatasets", { limit: 100, sort: ["createdAt"] })), "data").map(
        ({ id }) => id,
      );
      const paged: unknown[] = [];
      for (let offset = 0; offset < all.length; offset += 2) {
        const page = bodyOf(await scene.api.call("listDatasets", { limit: 2, offset, sort: ["createdAt"] }));
        paged.push(...listAt(page, "data").map(({ id }) => id));
      }
      expect(paged.slice(0, all.length)).toEqual(all);
    });

    test.each(["createdAt", "-createdAt", "fileName", "-fileName", "fileSize", "itemCount", "updatedAt", "-expiresAt"])(
      "listDatasets sorts by %s",
      async (sort) => {
        const property = sort.replace("-", "");
        const values = listAt(bodyOf(await scene.api.call("listDatasets", { limit: 100, sort: [sort] })), "data")
          .map((dataset) => dataset[property] ?? null)
          .filter((value) => value !== null);
        const ordered = values.toSorted((a, b) =>
          typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : 1,
        );
        expect(values).toEqual(sort.startsWith("-") ? ordered.toReversed() : ordered);
      },
    );

    test("listDatasets sorts by several properties, the first before the second", async () => {
      const body = bodyOf(await scene.api.call("listDatasets", { limit: 100, sort: ["fileName", "-createdAt"] }));
      const listed = listAt(body, "data");
      const ordered = listed.toSorted((a, b) =>
        a["fileName"] === b["fileName"]
          ? Number(b["createdAt"]) - Number(a["createdAt"])
          : String(a["fileName"]) < String(b["fileName"])
            ? -1
            : 1,
      );
      expect(listed).toEqual(ordered);
    });

    test("listDatasets takes the lifetime of the links", async () => {
      const before = earliest();
      const [dataset] = listAt(bodyOf(await scene.api.call("listDatasets", { expiresInSeconds: 5 })), "data");
      const expiresAt = Number(objectAt(dataset ?? {}, "share")["expiresAt"]);
      expect(expiresAt).toBeGreaterThan(before);
      expect(expiresAt).toBeLessThanOrEqual(latest() + 5_000);
    });

    test("listDatasets filters by type", async () => {
      expect(bodyOf(await scene.api.call("listDatasets", { type: ["audio", "video"] }))).toMatchObject({
        total: 0,
        data: [],
      });
      expect(Number(bodyOf(await scene.api.call("listDatasets", { type: ["doc", "image"] }))["total"])).toBeGreaterThan(
        0,
      );
    });

    test("listDatasets ends with an empty page", async () => {
      expect(listAt(bodyOf(await scene.api.call("listDatasets", { offset: 100_000 })), "data")).toEqual([]);
    });

    test.each<[string, JsonObject, RegExp]>([
      ["a limit of 0", { limit: 0 }, /limit/],
      ["a limit of 101", { limit: 101 }, /limit/],
      ["an unknown sort property", { sort: ["size"] }, /cannot sort by "size"/],
      ["an unknown type", { type: ["book"] }, /type|book/],
      ["a link lifetime of 0", { expiresInSeconds: 0 }, /expiresInSeconds/],
      ["a link lifetime above a week", { expiresInSeconds: 604_801 }, /expiresInSeconds/],
    ])("listDatasets refuses %s", (_, request, message) =>
      refused("listDatasets", request, "INVALID_ARGUMENT", message),
    );

    test("deleteDataset removes the dataset from every answer", async () => {
      const { datasetId } = await finished(await uploaded("vectorize"));
      const id = String(datasetId);
      const deleted = objectAt(bodyOf(await scene.api.call("deleteDataset", { id })), "deleted");
      expect(deleted).toMatchObject({ id, freedBytes: expect.any(Number) });
      expect(Number(deleted["freedBytes"])).toBeGreaterThanOrEqual(onePage.length);
      await refused("getDataset", { id }, "NOT_FOUND", /no dataset/);
      await refused("listItems", { datasetId: id }, "NOT_FOUND", /no dataset/);
      await refused("search", { query: "lighthouse", datasetIds: [id] }, "NOT_FOUND", /no dataset/);
      await refused("deleteDataset", { id }, "NOT_FOUND", /no dataset/);
    });

    test("deleteDataset frees a dataset once, however many ask at once", async () => {
      const id = String((await finished(await uploaded("extract")))["datasetId"]);
      const outcomes = await Promise.all([1, 2, 3].map(() => scene.api.call("deleteDataset", { id })));
      expect(outcomes.map((outcome) => (outcome.ok ? "OK" : outcome.code)).toSorted()).toEqual([
        "NOT_FOUND",
        "NOT_FOUND",
        "OK",
      ]);
    });

    test("deleteDataset does not reach a foreign dataset", () =>
      refused("deleteDataset", (w) => ({ id: w.foreign }), "NOT_FOUND", /no dataset/));
  });
}
