import { assert, double, integer, property, record, uniqueArray } from "fast-check";
import { expect, test } from "vitest";
import { newDatasetId } from "../../domain/ids.ts";
import { explain, type ExplainedPart } from "./explain.ts";
import { documentKey } from "../../domain/ports/pack-ranking.ts";
import { candidatesOf } from "../retrieve/candidates.ts";
import type { Reading } from "../rerank/reading.ts";
import type { WordsOnPages } from "../terms/page-counts.ts";
import { type PageHit, rowKey } from "../../domain/ports/vectors.ts";
import { rankCandidates } from "../calibrate/ranking.ts";
import { readManifest } from "../../embedding/manifest.ts";
import { resolvePackDir } from "../../embedding/packs.ts";
import { termsFoundIn } from "../testing/found-terms.ts";

const { fusion } = await readManifest(resolvePackDir("builtin"));
const datasetId = newDatasetId();
const hit = (page: number, score: number): PageHit => ({ datasetId, page, generation: "", score });

const sumOf = ({ base, likeness, spaces, features }: ExplainedPart): number =>
  [...spaces, ...features].reduce((sum, { logOdds }) => sum + logOdds, base + likeness);

const list = (max: number) =>
  uniqueArray(
    record({ page: integer({ min: 1, max: 40 }), score: double({ min: max === 1 ? -1 : 0, max, noNaN: true }) }),
    { selector: ({ page }) => page, minLength: 1, maxLength: 40 },
  );

test("the parts of every page add up to its log-odds, and their mean is its score", () => {
  assert(
    property(list(60), list(1), list(1), list(30), (words, text, arrangement, documents) => {
      const vector = (page: number) => Float32Array.of(page % 3, (page % 7) - 3, 1);
      const lists: Record<string, PageHit[]> = {
        words: words.map(({ page, score }) => hit(page, score)),
        text: text.map(({ page, score }) => ({ ...hit(page, score), vector: vector(page) })),
        picture: arrangement.map(({ page, score }) => hit(page, score)),
      };
      const all = Object.values(lists).flat();
      const candidates = candidatesOf(Object.entries(lists));
      const reading: Reading = {
        ...termsFoundIn(
          ["The", "pump", "seal", "2026"],
          candidates.pages.map(({ page }, place) =>
            place < 30 ? "pump seals 2026 ".repeat(page % 5) + "of the pumps" : undefined,
          ),
        ),
        documents: new Map(
          documents.map(({ score }) => [
            documentKey({ datasetId, generation: "" }),
            { name: score, opening: 0, whole: 1 },
          ]),
        ),
      };
      const explanations = explain(fusion, { candidates, reading }, all);
      for (const found of rankCandidates(fusion, candidates, reading)) {
        const { parts = [] } = explanations.get(rowKey(found)) ?? {};
        expect(parts).toHaveLength(2);
        for (const part of parts) {
          expect(sumOf(part)).toBeCloseTo(part.logOdds, 9);
          expect(part.probability).toBeCloseTo(1 / (1 + Math.exp(-part.logOdds)), 12);
        }
        expect(parts.reduce((sum, { weight, probability }) => sum + weight * probability, 0)).toBeCloseTo(
          found.score,
          12,
        );
      }
    }),
    { numRuns: 50 },
  );
});

test("words are those of the question without stop words, as it is written, with the log-odds of each", () => {
  const pages = [hit(1, 12), hit(2, 3), hit(3, 1)];
  const reading: Reading = { ...termsFoundIn(["Pumps"], ["pump", "seal", "nothing"]), documents: new Map() };
  const counted = (length: number, ...counts: readonly number[]) => ({
    length,
    words: counts.map((count) => ({ count, foundAs: count > 2 ? ["pumping"] : [] })),
  });
  const words: WordsOnPages = {
    words: ["Pumps", "seal", "valves"].map((written) => ({ written, roots: [], guesses: [] })),
    pages: [counted(4, 3, 1, 0), counted(4, 0, 2, 0), counted(4, 0, 0, 0)],
  };
  const explanations = explain(fusion, { candidates: candidatesOf([["words", pages]]), reading, words }, pages);
  const wordsOf = (page: number) => explanations.get(rowKey(hit(page, 0)))?.parts[0]?.words ?? [];
  expect(wordsOf(1).map(({ word, count, foundAs }) => [word, count, ...foundAs])).toEqual([
    ["Pumps", 3, "pumping"],
    ["seal", 1],
    ["valves", 0],
  ]);
  expect(wordsOf(3).every(({ logOdds }) => logOdds === 0)).toBe(true);
  const [pump, seal, valve] = wordsOf(1).map(({ logOdds }) => logOdds);
  expect(pump).toBeGreaterThan(seal ?? 0);
  expect(seal).toBeGreaterThan(0);
  expect(valve).toBe(0);
  const space = explanations.get(rowKey(hit(1, 0)))?.parts[0]?.spaces.find(({ name }) => name === "words");
  expect((pump ?? 0) + (seal ?? 0)).toBeCloseTo(space?.logOdds ?? 0, 9);
});

test("pages that were not found have no explanation, and pages that the second stage did not read have no features", () => {
  const pages = [hit(1, 12), hit(2, 3)];
  const reading: Reading = { ...termsFoundIn(["pump"], ["pump", undefined]), documents: new Map() };
  const words: WordsOnPages = { words: [], pages: [{ length: 1, words: [] }, undefined] };
  const explanations = explain(fusion, { candidates: candidatesOf([["words", pages]]), reading, words }, [
    ...pages,
    hit(9, 0),
  ]);
  expect([...explanations.keys()]).toEqual(pages.map(rowKey));
  const unread = explanations.get(rowKey(hit(2, 0)))?.parts[0];
  expect([unread?.features, unread?.words]).toEqual([[], []]);
});
