import { earliest, latest } from "../clock.ts";
import type { JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { bodyOf, listAt, objectAt, share } from "../answers.ts";
import type { Scene } from "../scene.ts";
import { unknownDataset, zooPages } from "../world.ts";
import { widthOf } from "../pictures.ts";

export function searchCases(scene: Scene): void {
  const { refused } = scene;

  describe("search", () => {
    const rank = async (request: JsonObject): Promise<JsonObject[]> =>
      listAt(bodyOf(await scene.api.call("search", request)), "data");

    test.each([
      ["a string", "Which birds swim well but cannot fly?", 1],
      ["an object", { text: "largest animal on land" }, 2],
    ])("takes the query as %s", async (_, query, page) => {
      const found = await rank({ query });
      expect(found[0]).toMatchObject({
        datasetId: scene.world.zoo,
        col: page,
        row: "jpg",
        score: expect.any(Number),
        share,
      });
    });

    test("scores are within 0..1 and fall", async () => {
      const scores = (await rank({ query: "animals that hunt insects at night", datasetIds: [scene.world.zoo] })).map(
        ({ score }) => Number(score),
      );
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(Math.min(...scores)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...scores)).toBeLessThanOrEqual(1);
    });

    test("fileExt keeps to documents of these formats, and only narrows", async () => {
      const request = { query: "animals", limit: 100 };
      const everywhere = await rank({ ...request, fileExt: ["docx", "PDF"] });
      expect(everywhere.map(({ datasetId }) => datasetId)).toContain(scene.world.zoo);
      expect(await rank({ ...request, fileExt: ["docx"] })).toEqual([]);
      expect(await rank({ ...request, fileExt: ["docx"], datasetIds: [scene.world.zoo] })).toEqual([]);
      const foreign = { query: "animals", fileExt: ["pdf"], datasetIds: [scene.world.foreign] };
      await refused("search", foreign, "NOT_FOUND", /no dataset/);
    });

    test("limit caps the results, and total counts them", async () => {
      const body = bodyOf(
        await scene.api.call("search", { query: "animals", limit: 2, datasetIds: [scene.world.zoo] }),
      );
      expect(body["total"]).toBe(2);
      expect(listAt(body, "data")).toHaveLength(2);
    });

    test("limit keeps the results with the highest scores", async () => {
      const request = { query: "animals", datasetIds: [scene.world.zoo] };
      const [all, first] = await Promise.all([rank({ ...request, limit: 100 }), rank({ ...request, limit: 2 })]);
      expect(all).toHaveLength(zooPages.length);
      const idAndScore = ({ id, score }: JsonObject): unknown => [id, score];
      expect(first.map(idAndScore)).toEqual(all.slice(0, 2).map(idAndScore));
    });

    test("expiresInSeconds sets the lifetime of the links", async () => {
      const before = earliest();
      const [item] = await rank({ query: "bats", expiresInSeconds: 5 });
      const expiresAt = Number(objectAt(item ?? {}, "share")["expiresAt"]);
      expect(expiresAt).toBeGreaterThan(before);
      expect(expiresAt).toBeLessThanOrEqual(latest() + 5_000);
    });

    test("a picture works without words, with words, and beside empty words", async () => {
      const [item] = await rank({ query: "salmon", datasetIds: [scene.world.zoo], limit: 1 });
      const image_url = String(objectAt(item ?? {}, "share")["url"]);
      for (const query of [{ image_url }, { image_url, text: "" }, { image_url, text: "rivers" }]) {
        expect((await rank({ query, datasetIds: [scene.world.zoo] }))[0]).toMatchObject({ col: 5 });
      }
    });

    test("hits say whose pages they are", async () => {
      const [hit] = await rank({ query: "penguins", datasetIds: [scene.world.zoo] });
      expect(hit).toMatchObject({ fileName: "zoo.pdf", pageCount: zooPages.length });
      expect(hit).not.toHaveProperty("text");
      for (const list of ["neighbours", "highlights"]) expect(hit?.[list] ?? []).toEqual([]);
    });

    test("minScore leaves out the hits below it, and no other", async () => {
      const request = { query: "animals that hunt insects at night", datasetIds: [scene.world.zoo] };
      const all = await rank(request);
      // Between two of them: what other tests add meanwhile changes how rare words are, and scores a little.
      const least = (Number(all[1]?.["score"]) + Number(all[2]?.["score"])) / 2;
      expect((await rank({ ...request, minScore: least })).map(({ id }) => id)).toEqual(
        all.filter(({ score }) => Number(score) >= least).map(({ id }) => id),
      );
      expect(await rank({ ...request, minScore: 0 })).toHaveLength(all.length);
      expect(await rank({ ...request, minScore: 1 })).toEqual([]);
    });

    test("include text brings the text layer of the pages", async () => {
      const found = await rank({ query: "penguins", datasetIds: [scene.world.zoo], include: ["text"], row: "pdf" });
      expect(found).toHaveLength(zooPages.length);
      for (const { col, text } of found) expect(text).toBe(zooPages[Number(col) - 1]);
    });

    test("include picture brings the pages as pictures, in the width that is asked for", async () => {
      const request = {
        query: "penguins",
        datasetIds: [scene.world.zoo],
        limit: 2,
        include: ["picture"],
        neighbours: 1,
      };
      for (const pictureWidth of [undefined, 256]) {
        const found = await rank({ ...request, ...(pictureWidth && { pictureWidth }) });
        expect(found).toHaveLength(2);
        for (const { picture, neighbours } of found) {
          expect(await widthOf(picture)).toBe(pictureWidth ?? 1024);
          expect(JSON.stringify(neighbours)).not.toContain('"picture"');
        }
      }
    });

    test("include highlights says where the pages have the words, in fractions of them", async () => {
      const request = { query: "Which birds swim very well?", datasetIds: [scene.world.zoo], include: ["highlights"] };
      const penguins = (await rank(request)).find(({ col }) => col === 1) ?? {};
      const boxes = listAt(penguins, "highlights");
      expect(boxes.map(({ text }) => String(text)).toSorted()).toEqual(["birds", "swim", "well"]);
      for (const box of boxes) {
        const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(box[name]));
        // The text stands in the upper left of its page, in the second line.
        expect(x).toBeGreaterThan(0.05);
        expect(Number(x) + Number(width)).toBeLessThan(0.7);
        expect(y).toBeGreaterThan(0.05);
        expect(Number(y) + Number(height)).toBeLessThan(0.12);
        expect(height).toBeGreaterThan(0.01);
      }
    });

    test("include snippet brings the text around the words of the question", async () => {
      const request = { query: "Which birds swim very well?", datasetIds: [scene.world.zoo], include: ["snippet"] };
      const penguins = (await rank(request)).find(({ col }) => col === 1) ?? {};
      const snippet = Object(penguins["snippet"]);
      const text = String(snippet["text"]);
      expect(text).toBe(zooPages[0]?.replaceAll("\n", " "));
      const marked = listAt(snippet, "marks").map(({ start = 0, length }) =>
        text.slice(Number(start), Number(start) + Number(length)),
      );
      expect(marked.toSorted()).toEqual(["birds", "swim", "well"]);
    });

    test("a question that nothing answers has low scores alone", async () => {
      expect(Number((await rank({ query: "Which birds swim very well?" }))[0]?.["score"])).toBeGreaterThan(0.5);
      expect(Number((await rank({ query: "qzxv wjkpt bnmfgh" }))[0]?.["score"] ?? 0)).toBeLessThan(0.2);
    });

    test("explain says what a score is made of, and its numbers add up to it", async () => {
      const query = { text: "Which birds swim well?" };
      for (const found of [
        await rank({ query, explain: true, datasetIds: [scene.world.zoo] }),
        await rank({ query, explain: true }),
      ]) {
        expect(found.length).toBeGreaterThan(0);
        for (const { score, explanation } of found) {
          const parts = listAt(Object(explanation), "parts");
          expect(parts).toHaveLength(1);
          const [part = {}] = parts;
          const sum = [...listAt(part, "spaces"), ...listAt(part, "features")].reduce(
            (total, { logOdds }) => total + Number(logOdds),
            Number(part["base"]) + Number(part["likeness"]),
          );
          expect(sum).toBeCloseTo(Number(part["logOdds"]), 9);
          expect(1 / (1 + Math.exp(-sum))).toBeCloseTo(Number(score), 9);
        }
        const [part = {}] = listAt(Object(found[0]?.["explanation"]), "parts");
        const words = listAt(part, "words");
        expect(words.map(({ word, count }) => [word, count])).toEqual([
          ["birds", 1],
          ["swim", 1],
          ["well", 1],
        ]);
        const space = listAt(part, "spaces").find(({ name }) => name === "words");
        expect(words.reduce((total, { logOdds }) => total + Number(logOdds), 0)).toBeCloseTo(
          Number(space?.["logOdds"]),
          9,
        );
      }
      const [unasked] = await rank({ query });
      expect(unasked).not.toHaveProperty("explanation");
    });

    test("the score of words and a picture is the mean of both parts", async () => {
      const [item] = await rank({ query: "salmon", datasetIds: [scene.world.zoo], limit: 1 });
      const query = { text: "rivers", image_url: String(objectAt(item ?? {}, "share")["url"]) };
      for (const { score, explanation } of await rank({ query, explain: true, datasetIds: [scene.world.zoo] })) {
        const parts = listAt(Object(explanation), "parts");
        expect(parts).toHaveLength(2);
        expect(parts.reduce((sum, { weight }) => sum + Number(weight), 0)).toBeCloseTo(1, 9);
        const mean = parts.reduce((sum, { weight, probability }) => sum + Number(weight) * Number(probability), 0);
        expect(mean).toBeCloseTo(Number(score), 9);
      }
    });

    test("neighbours are the pages around a hit, with links and with what is included", async () => {
      const request = { query: "penguins", datasetIds: [scene.world.zoo], limit: 1, include: ["text"] };
      const [first] = await rank({ ...request, neighbours: 2 });
      expect(first).toMatchObject({ col: 1, text: zooPages[0] });
      const after = listAt(first ?? {}, "neighbours");
      expect(after.map(({ col, text }) => [col, text])).toEqual([
        [2, zooPages[1]],
        [3, zooPages[2]],
      ]);
      for (const neighbour of after) {
        expect(neighbour).toMatchObject({ row: "jpg", datasetId: scene.world.zoo, fileName: "zoo.pdf", share });
        expect(neighbour).not.toHaveProperty("score");
        expect((await fetch(String(objectAt(neighbour, "share")["url"]))).status).toBe(200);
      }
      const [middle] = await rank({ query: "giraffes", datasetIds: [scene.world.zoo], limit: 1, neighbours: 1 });
      expect(listAt(middle ?? {}, "neighbours").map(({ col }) => col)).toEqual([2, 4]);
      expect(listAt(middle ?? {}, "neighbours")[0]).not.toHaveProperty("text");
    });

    test.each(["pdf", "embedding_image"])("row %s returns these items", async (row) => {
      expect((await rank({ query: "penguins", row }))[0]).toMatchObject({ row, col: 1 });
    });

    test("never finds another workspace's pages", async () => {
      const found = await rank({ query: zooPages[0] ?? "", limit: 100 });
      expect(found.length).toBeGreaterThan(0);
      expect(found.map(({ datasetId }) => datasetId)).not.toContain(scene.world.foreign);
    });

    test("an extracted dataset has nothing to find", async () => {
      expect(await rank({ query: "one two three", datasetIds: [scene.world.plain] })).toEqual([]);
    });

    test("a picture of a page finds the page", async () => {
      const items = listAt(
        bodyOf(await scene.api.call("listItems", { datasetId: scene.world.zoo, row: "jpg", cols: ["3"] })),
        "data",
      );
      const picture = await fetch(String(objectAt(items[0] ?? {}, "share")["url"]));
      const data = Buffer.from(await picture.arrayBuffer()).toString("base64");
      const found = await rank({
        query: { image_url: `data:image/jpeg;base64,${data}` },
        datasetIds: [scene.world.zoo],
      });
      expect(found[0]).toMatchObject({ col: 3 });
    });

    test("a share link of this server is a picture as well, also beside text", async () => {
      const items = listAt(
        bodyOf(await scene.api.call("listItems", { datasetId: scene.world.zoo, row: "jpg", cols: ["4"] })),
        "data",
      );
      const url = String(objectAt(items[0] ?? {}, "share")["url"]);
      expect((await rank({ query: { image_url: url, text: "bats" }, datasetIds: [scene.world.zoo] }))[0]).toMatchObject(
        {
          col: 4,
        },
      );
    });

    test.each<[string, JsonObject, string, RegExp]>([
      ["no query", {}, "INVALID_ARGUMENT", /query/],
      ["an empty query", { query: "" }, "INVALID_ARGUMENT", /query/],
      ["an empty object", { query: {} }, "INVALID_ARGUMENT", /query/],
      ["only white space", { query: " \n" }, "INVALID_ARGUMENT", /query/],
      ["a limit of 0", { query: "a", limit: 0 }, "INVALID_ARGUMENT", /limit/],
      ["a limit of 101", { query: "a", limit: 101 }, "INVALID_ARGUMENT", /limit/],
      [
        "a link lifetime above a week",
        { query: "a", expiresInSeconds: 604_801 },
        "INVALID_ARGUMENT",
        /expiresInSeconds/,
      ],
      ["an unknown row", { query: "a", row: "gif" }, "INVALID_ARGUMENT", /row|gif/],
      ["an unknown word to include", { query: "a", include: ["words"] }, "INVALID_ARGUMENT", /include/],
      ["more to include than there is", { query: "a", include: Array(11).fill("text") }, "INVALID_ARGUMENT", /include/],
      ["a least score above 1", { query: "a", minScore: 1.01 }, "INVALID_ARGUMENT", /minScore/],
      ["a least score below 0", { query: "a", minScore: -0.01 }, "INVALID_ARGUMENT", /minScore/],
      ["a least score that is no number", { query: "a", minScore: "NaN" }, "INVALID_ARGUMENT", /minScore/],
      ["a width that there is not", { query: "a", pictureWidth: 300 }, "INVALID_ARGUMENT", /pictureWidth/],
      ["six neighbours each way", { query: "a", neighbours: 6 }, "INVALID_ARGUMENT", /neighbours/],
      ["an unknown dataset", { query: "a", datasetIds: [unknownDataset] }, "NOT_FOUND", /no dataset/],
      ["a text that is too long", { query: "a".repeat(8193) }, "INVALID_ARGUMENT", /text/],
      ["a data URL that is none", { query: { image_url: "data:image/png,abc" } }, "INVALID_ARGUMENT", /data URL/],
      [
        "a data URL of text",
        { query: { image_url: "data:text/plain;base64,aGVsbG8=" } },
        "INVALID_ARGUMENT",
        /media type/,
      ],
      [
        "a picture that is none",
        { query: { image_url: "data:image/png;base64,aGVsbG8=" } },
        "INVALID_ARGUMENT",
        /picture|image/,
      ],
      [
        "a private address",
        { query: { image_url: "http://10.0.0.1/a.png" } },
        "INVALID_ARGUMENT",
        /not a public address/,
      ],
      ["a file address", { query: { image_url: "file:///etc/passwd" } }, "INVALID_ARGUMENT", /http/],
    ])("refuses %s", (_, request, code, message) => refused("search", request, code, message));

    test("refuses a foreign dataset like an unknown one", () =>
      refused("search", (w) => ({ query: "penguins", datasetIds: [w.zoo, w.foreign] }), "NOT_FOUND", /no dataset/));
  });
}
