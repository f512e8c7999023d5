import { earliest, latest } from "../clock.ts";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { bodyOf, listAt, objectAt, share, time } from "../answers.ts";
import type { Scene } from "../scene.ts";
import { unknownDataset, zooPages } from "../world.ts";
import { widthOf } from "../pictures.ts";

export function itemsCases(scene: Scene): void {
  const { refused } = scene;

  describe("listItems", () => {
    test("answers with the order and limits in force", async () => {
      const body = bodyOf(await scene.api.call("listItems", { datasetId: scene.world.plain }));
      expect(body).toMatchObject({ sort: ["-createdAt"], offset: 0, limit: 10, total: 6 });
      expect(listAt(body, "data")[0]).toMatchObject({
        id: expect.stringMatching(/^dsx_/),
        col: time,
        row: expect.stringMatching(/^(pdf|jpg)$/),
        createdAt: time,
        share,
      });
    });

    test("a vectorized dataset has embeddings as well", async () => {
      const body = bodyOf(
        await scene.api.call("listItems", { datasetId: scene.world.zoo, row: "embedding_image", sort: ["col"] }),
      );
      expect(body["total"]).toBe(zooPages.length);
      expect(listAt(body, "data").map(({ col, row }) => [col, row])).toEqual(
        zooPages.map((_, index) => [index + 1, "embedding_image"]),
      );
    });

    test("items say whose pages they are", async () => {
      const body = bodyOf(await scene.api.call("listItems", { datasetId: scene.world.zoo, limit: 1 }));
      expect(listAt(body, "data")[0]).toMatchObject({ fileName: "zoo.pdf", pageCount: zooPages.length });
      expect(listAt(body, "data")[0]).not.toHaveProperty("text");
    });

    test("include text brings the text layer of the pages", async () => {
      const request = { datasetId: scene.world.zoo, cols: ["2:4"], sort: ["col", "row"], include: ["text"] };
      const items = listAt(bodyOf(await scene.api.call("listItems", request)), "data");
      expect(items).toHaveLength(9);
      for (const { col, text } of items) expect(text).toBe(zooPages[Number(col) - 1]);
    });

    test("include picture brings the pages as pictures, whatever their format", async () => {
      const request = { datasetId: scene.world.plain, cols: ["2"], include: ["picture"], pictureWidth: 512 };
      const items = listAt(bodyOf(await scene.api.call("listItems", request)), "data");
      expect(items).toHaveLength(2);
      for (const { picture } of items) expect(await widthOf(picture)).toBe(512);
    });

    test.each<[JsonValue, number[]]>([
      [["2"], [2]],
      [["2:4"], [2, 3, 4]],
      [
        ["1:2", "5"],
        [1, 2, 5],
      ],
      [["4:"], [4, 5]],
      [[":2"], [1, 2]],
      [
        [" 1 : 2 ", " 5 "],
        [1, 2, 5],
      ],
      [
        ["2:3", "3:4"],
        [2, 3, 4],
      ],
      [["9"], []],
      [["5:99"], [5]],
    ])("cols %j selects pages %j", async (cols, pages) => {
      const body = bodyOf(
        await scene.api.call("listItems", { datasetId: scene.world.zoo, row: "jpg", cols, sort: ["col"], limit: 100 }),
      );
      expect(listAt(body, "data").map(({ col }) => col)).toEqual(pages);
      expect(body["total"]).toBe(pages.length);
    });

    test.each(["0", "0:2", "4:2", "x", "1-2", "-1", ":"])("cols %j is refused", (cols) =>
      refused("listItems", (w) => ({ datasetId: w.zoo, cols: [cols] }), "INVALID_ARGUMENT", /cols/),
    );

    test.each([
      ["col", [1, 1, 2, 2, 3, 3]],
      ["-col", [3, 3, 2, 2, 1, 1]],
    ] as const)("sorts by %s", async (sort, pages) => {
      const body = bodyOf(await scene.api.call("listItems", { datasetId: scene.world.plain, sort: [sort] }));
      expect(listAt(body, "data").map(({ col }) => col)).toEqual(pages);
    });

    test("sorts by several properties, the first before the second", async () => {
      const request = { datasetId: scene.world.plain, cols: ["1:2"] };
      const listed = async (sort: string[]): Promise<unknown[]> =>
        listAt(bodyOf(await scene.api.call("listItems", { ...request, sort })), "data").map(
          ({ row, col }) => `${String(row)}${String(col)}`,
        );
      expect(await listed(["-col", "row"])).toEqual(["jpg2", "pdf2", "jpg1", "pdf1"]);
      expect(await listed(["row", "-col"])).toEqual(["jpg2", "jpg1", "pdf2", "pdf1"]);
    });

    test("offset and limit cut a stretch out of the order", async () => {
      const request = { datasetId: scene.world.zoo, row: "jpg", sort: ["-col"] };
      const body = bodyOf(await scene.api.call("listItems", { ...request, offset: 1, limit: 3 }));
      expect(body).toMatchObject({ sort: ["-col"], offset: 1, limit: 3, total: zooPages.length });
      expect(listAt(body, "data").map(({ col }) => col)).toEqual([4, 3, 2]);
      const beyond = bodyOf(await scene.api.call("listItems", { ...request, offset: 5 }));
      expect(beyond).toMatchObject({ total: zooPages.length, data: [] });
    });

    test("links live for 600 seconds, or as long as asked", async () => {
      for (const [asked, seconds] of [
        [{}, 600],
        [{ expiresInSeconds: 30 }, 30],
        [{ expiresInSeconds: 604_800 }, 604_800],
      ] as const) {
        const before = earliest();
        const [item] = listAt(
          bodyOf(await scene.api.call("listItems", { datasetId: scene.world.zoo, ...asked })),
          "data",
        );
        const expiresAt = Number(objectAt(item ?? {}, "share")["expiresAt"]);
        // The moment is a whole second.
        expect(expiresAt).toBeGreaterThan(before + (seconds - 1) * 1000);
        expect(expiresAt).toBeLessThanOrEqual(latest() + seconds * 1000);
      }
    });

    test("pages without gaps or repeats in the default order", async () => {
      const all = listAt(
        bodyOf(await scene.api.call("listItems", { datasetId: scene.world.zoo, limit: 100 })),
        "data",
      ).map(({ id }) => id);
      expect(new Set(all).size).toBe(zooPages.length * 3);
      const paged: unknown[] = [];
      for (let offset = 0; offset < all.length; offset += 4) {
        paged.push(
          ...listAt(
            bodyOf(await scene.api.call("listItems", { datasetId: scene.world.zoo, limit: 4, offset })),
            "data",
          ).map(({ id }) => id),
        );
      }
      expect(paged).toEqual(all);
    });

    test.each<[string, JsonObject, RegExp]>([
      ["an unknown row", { row: "gif" }, /row|gif/],
      ["highlights, which need a question", { include: ["highlights"] }, /highlights.*search/],
      ["snippets, which need a question", { include: ["snippet"] }, /snippet.*search/],
      ["an unknown word to include", { include: ["words"] }, /include/],
      ["a width that there is not", { pictureWidth: 1025 }, /pictureWidth/],
      ["a limit of 0", { limit: 0 }, /limit/],
      ["a limit of 101", { limit: 101 }, /limit/],
      ["an unknown sort property", { sort: ["score"] }, /cannot sort by "score"/],
      ["a link lifetime above a week", { expiresInSeconds: 604_801 }, /expiresInSeconds/],
    ])("refuses %s", (_, request, message) =>
      refused("listItems", (w) => ({ datasetId: w.zoo, ...request }), "INVALID_ARGUMENT", message),
    );

    test("knows no unknown dataset", () =>
      refused("listItems", { datasetId: unknownDataset }, "NOT_FOUND", /no dataset/));
    test("knows no foreign dataset", () =>
      refused("listItems", (w) => ({ datasetId: w.foreign }), "NOT_FOUND", /no dataset/));
  });
}
