import { assert, constantFrom, double, integer, property, record, uniqueArray } from "fast-check";
import { describe, expect, it } from "vitest";
import { newDatasetId } from "../../domain/ids.ts";
import { documentKey } from "../../domain/ports/pack-ranking.ts";
import { candidatesOf, minCandidates } from "../retrieve/candidates.ts";
import type { Reading } from "../rerank/reading.ts";
import type { PageHit } from "../../domain/ports/vectors.ts";
import { rankCandidates } from "./ranking.ts";
import { readManifest } from "../../embedding/manifest.ts";
import { resolvePackDir } from "../../embedding/packs.ts";
import { termsFoundIn } from "../testing/found-terms.ts";

const { fusion } = await readManifest(resolvePackDir("builtin"));
const datasets = [newDatasetId(), newDatasetId()].sort();
const [dataset = newDatasetId(), laterDataset = newDatasetId()] = datasets;

const hit = (page: number, score: number): PageHit => ({ datasetId: dataset, page, generation: "", score });
const hitsOf = (lists: Record<string, PageHit[]>) => candidatesOf(Object.entries(lists));
const pagesOf = (ranking: readonly PageHit[]) => ranking.map(({ page }) => page);

const list = (max: number) =>
  uniqueArray(
    record({
      datasetId: constantFrom(...datasets),
      generation: constantFrom(""),
      page: integer({ min: 1, max: 30 }),
      score: double({ min: max === 1 ? -1 : 0, max, noNaN: true }),
    }),
    { selector: ({ datasetId, page }) => `${datasetId}/${page}`, maxLength: 40 },
  );

describe("the ranking", () => {
  it("ranks rows of different generations of an index separately", () => {
    const ranking = rankCandidates(fusion, hitsOf({ words: [hit(1, 9), { ...hit(1, 5), generation: "a1" }] }));
    expect(ranking.map(({ page, generation }) => `${page}@${generation}`)).toEqual(["1@", "1@a1"]);
  });

  it("returns each page once, with falling scores from 0 to 1, whatever the order of the hits", () => {
    assert(
      property(list(60), list(1), list(1), (words, text, picture) => {
        const ranking = rankCandidates(fusion, hitsOf({ words, text, picture }));
        const keys = ranking.map(({ datasetId, page }) => `${datasetId}/${page}`);
        const expected = [...words, ...text, ...picture].map(({ datasetId, page }) => `${datasetId}/${page}`);
        expect(keys.toSorted()).toEqual([...new Set(expected)].toSorted());
        ranking.forEach(({ score }, index) => {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(1);
          expect(score).toBeLessThanOrEqual(ranking[index - 1]?.score ?? 1);
        });
        const turned = hitsOf({ picture: picture.toReversed(), text: text.toReversed(), words: words.toReversed() });
        expect(rankCandidates(fusion, turned).map(({ page }) => page)).toEqual(pagesOf(ranking));
      }),
    );
  });

  it("raises a page that is better in one space and no worse in the others", () => {
    const [first, second] = rankCandidates(
      fusion,
      hitsOf({ words: [hit(1, 8), hit(2, 8)], text: [hit(1, 0.3), hit(2, 0.31)] }),
    );
    expect(first).toMatchObject({ page: 2 });
    expect(first?.score).toBeGreaterThan(second?.score ?? 1);
  });

  it("raises a page with the words next to each other, and a page whose document matches", () => {
    const words = [hit(1, 8), hit(2, 8), { ...hit(1, 8), datasetId: laterDataset }];
    const reading: Reading = {
      ...termsFoundIn(
        ["failed", "attempts"],
        [
          "failed early and then made many more attempts",
          "made many more failed attempts early and then",
          "failed early and then made many more attempts",
        ],
      ),
      documents: new Map([[documentKey({ ...hit(1, 0), datasetId: laterDataset }), { name: 9, opening: 0, whole: 0 }]]),
    };
    const places = rankCandidates(fusion, hitsOf({ words }), reading).map(({ datasetId, page }) => [datasetId, page]);
    expect(places.at(-1)).toEqual([dataset, 1]);
    expect(pagesOf(rankCandidates(fusion, hitsOf({ words })))).toEqual([1, 2, 1]);
  });

  it("breaks ties by dataset and page", () => {
    const words = [{ ...hit(1, 5), datasetId: laterDataset }, hit(9, 5), hit(2, 5)];
    expect(rankCandidates(fusion, hitsOf({ words })).map(({ datasetId, page }) => [datasetId, page])).toEqual([
      [dataset, 2],
      [dataset, 9],
      [laterDataset, 1],
    ]);
  });

  it("treats a page that is missing in a short list as not matching there", () => {
    const text = Array.from({ length: 20 }, (_, index) => hit(index + 1, 0.3 - index / 1000));
    expect(rankCandidates(fusion, hitsOf({ words: [hit(20, 12)], text }))[0]).toMatchObject({ page: 20 });
  });

  it("treats a page that is missing in a full list as no better than its last page", () => {
    const words = Array.from({ length: minCandidates }, (_, index) => hit(index + 1, 10));
    const text = [hit(500, 0.4), ...words.map(({ page }) => hit(page, 0.2))];
    expect(rankCandidates(fusion, hitsOf({ words, text }))[0]).toMatchObject({ page: 500 });
  });

  it("gives low scores to pages that match equally little or by a word alone, and a high score to one that stands out", () => {
    const rest = Array.from({ length: 30 }, (_, index) => index + 2);
    const text = (page: number, score: number): PageHit => ({
      ...hit(page, score),
      vector: Float32Array.from({ length: 40 }, (_, index) => (index === page ? 1 : 0.3)),
    });
    const level = hitsOf({
      words: [hit(1, 3), ...rest.map((page) => hit(page, 2.8))],
      text: [text(1, 0.1), ...rest.map((page) => text(page, 0.09))],
    });
    const poor = hitsOf({ words: [hit(1, 3)], text: [text(1, 0.1), ...rest.map((page) => text(page, 0.09))] });
    const rich = hitsOf({
      words: [hit(1, 25), ...rest.map((page) => hit(page, 6))],
      text: [text(1, 0.6), ...rest.map((page) => text(page, 0.2))],
    });
    const filler = " x".repeat(300);
    const readingOf = (first: string, others: string): Reading => ({
      ...termsFoundIn(
        ["failed", "attempts", "loop"],
        [first, ...rest.map(() => others)].map((text) => text + filler),
      ),
      documents: new Map(),
    });
    expect(rankCandidates(fusion, level, readingOf("loop", "loop"))[0]?.score).toBeLessThan(0.1);
    // A score of 0.5 is as likely as not.
    expect(rankCandidates(fusion, poor, readingOf("loop", ""))[0]?.score).toBeLessThan(0.5);
    expect(rankCandidates(fusion, rich, readingOf("failed attempts of a loop", "attempts"))[0]?.score).toBeGreaterThan(
      0.7,
    );
  });

  it("has the order of the picture's hits, calibrated, for a query of a picture alone", () => {
    const ranking = rankCandidates(fusion, hitsOf({ picture: [hit(1, 0.35), hit(2, 0.62), hit(3, 0.41)] }));
    expect(pagesOf(ranking)).toEqual([2, 3, 1]);
    expect(ranking[0]?.score).toBeGreaterThan(0.9);
    expect(ranking[1]?.score).toBeLessThan(0.2);
  });

  it("has the order of the words' hits if no page resembles the picture", () => {
    const words = [hit(1, 20), hit(2, 10), hit(3, 5)];
    const picture = [hit(3, 0.31), hit(2, 0.3), hit(1, 0.28)];
    expect(pagesOf(rankCandidates(fusion, hitsOf({ words, picture })))).toEqual([1, 2, 3]);
  });

  it("raises pages that are similar to the best one, if the pack has feedback", () => {
    const [group] = fusion;
    if (group === undefined) throw new Error("the pack fuses nothing");
    const feedback = { space: "text", pages: 1, sharpness: 4, weight: 4 };
    const text = [
      { ...hit(1, 0.5), vector: Float32Array.of(1, 0) },
      { ...hit(2, 0.2), vector: Float32Array.of(0, 1) },
      { ...hit(3, 0.19), vector: Float32Array.of(0.8, 0.6) },
    ];
    const { feedback: _, ...without } = group;
    expect(pagesOf(rankCandidates([without], hitsOf({ text })))).toEqual([1, 2, 3]);
    const ranking = rankCandidates([{ ...group, feedback }], hitsOf({ text }));
    expect(pagesOf(ranking)).toEqual([1, 3, 2]);
    expect(ranking.every((found) => !("vector" in found))).toBe(true);
  });

  it("raises pages that are similar to the best page of the named document, even if another document's page matches better", () => {
    const [group] = fusion;
    if (group === undefined) throw new Error("the pack fuses nothing");
    const feedback = { space: "text", pages: 1, sharpness: 4, weight: 4 };
    const ofOther = { datasetId: laterDataset };
    const text = [
      { ...hit(1, 0.9), ...ofOther, vector: Float32Array.of(1, 0) },
      { ...hit(1, 0.5), vector: Float32Array.of(0, 1) },
      { ...hit(2, 0.3), vector: Float32Array.of(0.6, 0.8) },
      { ...hit(3, 0.3), vector: Float32Array.of(0.8, 0.6) },
    ];
    const reading: Reading = {
      ...termsFoundIn(["otter"], [undefined, undefined, undefined, undefined]),
      documents: new Map([[documentKey(hit(1, 0)), { name: 9, opening: 0, whole: 0 }]]),
    };
    const likeIt = (read: Reading) =>
      pagesOf(rankCandidates([{ ...group, feedback }], hitsOf({ text }), read).filter(({ page }) => page > 1));
    expect(likeIt(reading)).toEqual([3, 2]);
    expect(likeIt({ ...reading, targets: new Set(reading.documents.keys()) })).toEqual([2, 3]);
  });

  it("is empty without hits", () => {
    expect(rankCandidates(fusion, hitsOf({ words: [] }))).toEqual([]);
    expect(rankCandidates(fusion, hitsOf({}))).toEqual([]);
  });
});
