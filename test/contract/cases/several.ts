import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { bodyOf, listAt } from "../answers.ts";
import type { Scene } from "../scene.ts";
import { unknownDataset, zooPages } from "../world.ts";

export function severalCases(scene: Scene): void {
  const { refused } = scene;

  describe("several searches", () => {
    const rankMany = async (...searches: JsonObject[]): Promise<JsonObject[]> =>
      listAt(bodyOf(await scene.api.call("searchMany", { searches })), "data");
    const idsIn = (outcome: JsonObject | undefined): unknown[] => listAt(outcome ?? {}, "data").map(({ id }) => id);

    test("are answered in their order, each as if it had been sent alone", async () => {
      const datasetIds = [scene.world.zoo];
      const searches = [
        { query: { text: "penguins" }, datasetIds },
        { query: { text: "bats" }, datasetIds, limit: 2 },
      ];
      const outcomes = await rankMany(...searches);
      expect(outcomes).toHaveLength(2);
      for (const [index, search] of searches.entries()) {
        const alone = bodyOf(await scene.api.call("search", search));
        expect(outcomes[index]).toMatchObject({ success: true, total: alone["total"] });
        expect(idsIn(outcomes[index])).toEqual(idsIn(alone));
      }
    });

    test("one that fails leaves the others as they are", async () => {
      const [good, bad, foreign] = await rankMany(
        { query: { text: "penguins" }, datasetIds: [scene.world.zoo] },
        { query: { text: "penguins" }, datasetIds: [unknownDataset] },
        { query: { text: "penguins" }, datasetIds: [scene.world.foreign] },
      );
      expect(good).toMatchObject({ success: true, total: zooPages.length });
      expect(good).not.toHaveProperty("error");
      for (const outcome of [bad, foreign]) {
        expect(outcome).toMatchObject({ code: "NOT_FOUND", error: expect.stringMatching(/there is no dataset/) });
        expect(outcome?.["success"] ?? false).toBe(false);
        expect(idsIn(outcome)).toEqual([]);
      }
    });

    test("bring contents along", async () => {
      const search = { query: { text: "penguins" }, datasetIds: [scene.world.zoo], include: ["text"], limit: 1 };
      for (const outcome of await rankMany(search, search)) {
        expect(listAt(outcome, "data")[0]).toMatchObject({ col: 1, text: zooPages[0] });
      }
    });

    test.each<[string, JsonObject, RegExp]>([
      ["none", { searches: [] }, /searches/],
      ["more than twenty", { searches: Array.from({ length: 21 }, () => ({ query: { text: "a" } })) }, /searches/],
      ["one without a query", { searches: [{ query: { text: "a" } }, {}] }, /query/],
      ["one with a limit of 101", { searches: [{ query: { text: "a" }, limit: 101 }] }, /limit/],
    ])("are refused together: %s", (_, request, message) =>
      refused("searchMany", request, "INVALID_ARGUMENT", message),
    );
  });

  describe("items of several datasets", () => {
    const get = async (request: JsonObject): Promise<JsonObject> => bodyOf(await scene.api.call("getItems", request));
    const placesIn = (body: JsonObject): unknown[] =>
      listAt(body, "data").map((item) => [item["datasetId"], item["col"]]);

    test("come in the order of the datasets, of each by page", async () => {
      const { plain, zoo } = scene.world;
      const body = await get({
        wanted: [
          { datasetId: plain, cols: ["2:", "1"] },
          { datasetId: zoo, cols: ["4"] },
        ],
      });
      expect(body["total"]).toBe(4);
      expect(placesIn(body)).toEqual([
        [plain, 1],
        [plain, 2],
        [plain, 3],
        [zoo, 4],
      ]);
      for (const item of listAt(body, "data")) expect(item["row"]).toBe("jpg");
    });

    test("are a list that can be read in parts", async () => {
      const { plain, zoo } = scene.world;
      const wanted = [{ datasetId: plain }, { datasetId: zoo }];
      const whole = placesIn(await get({ wanted }));
      expect(whole).toHaveLength(3 + zooPages.length);
      for (const offset of [0, 2, 3, 7, 8, 20]) {
        const part = await get({ wanted, offset, limit: 2 });
        expect(part["total"]).toBe(whole.length);
        expect(placesIn(part)).toEqual(whole.slice(offset, offset + 2));
      }
    });

    test("bring contents along, in the format that is asked for", async () => {
      const { zoo } = scene.world;
      const body = await get({ wanted: [{ datasetId: zoo, cols: ["2"] }], row: "pdf", include: ["text"] });
      expect(listAt(body, "data")).toMatchObject([{ row: "pdf", text: zooPages[1], fileName: "zoo.pdf" }]);
    });

    test("are of the caller's workspace alone", async () => {
      for (const datasetId of [scene.world.foreign, unknownDataset]) {
        await refused("getItems", { wanted: [{ datasetId: scene.world.zoo }, { datasetId }] }, "NOT_FOUND", /dataset/);
      }
    });

    test.each<[string, JsonObject, RegExp]>([
      ["no datasets", { wanted: [] }, /wanted/],
      ["a reversed range", { wanted: [{ datasetId: unknownDataset, cols: ["5:2"] }] }, /reversed/],
      ["a limit of 101", { wanted: [{ datasetId: unknownDataset }], limit: 101 }, /limit/],
    ])("are refused: %s", (_, request, message) => refused("getItems", request, "INVALID_ARGUMENT", message));
  });
}
