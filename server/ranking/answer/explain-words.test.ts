import { expect, test } from "vitest";
import type { WordsOnPages } from "../terms/page-counts.ts";
import { explainWords, weighWords } from "./explain-words.ts";

const read: WordsOnPages = {
  words: [
    { written: "Pumps", roots: ["pump"], guesses: [] },
    { written: "walrsu", roots: ["walrsu"], guesses: ["walrus"] },
    { written: "seal", roots: ["seal"], guesses: [] },
  ],
  pages: [
    { length: 9, words: [counted(3), counted(1, "walrus"), counted(0)] },
    undefined,
    { length: 9, words: [counted(1), counted(0), counted(0)] },
  ],
};

function counted(count: number, ...foundAs: readonly string[]): { count: number; foundAs: readonly string[] } {
  return { count, foundAs };
}

test("words have the forms they were found as, and a share by their frequency on the page and their rarity", () => {
  const [first = [], ...others] = explainWords(read, new Set([0, 1])).values();
  expect(others).toEqual([]);
  expect(first).toMatchObject([
    { word: "Pumps", count: 3, foundAs: [] },
    { word: "walrsu", count: 1, foundAs: ["walrus"] },
    { word: "seal", count: 0, foundAs: [], share: 0 },
  ]);
  expect(first[1]?.share).toBeGreaterThan(first[0]?.share ?? 0);
  expect(first.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
});

test("words have all roots by which they are found, and rare words have the highest weight", () => {
  const [pumps, walrus, seal] = weighWords(read);
  expect([pumps?.roots, walrus?.roots, seal?.roots]).toEqual([["pump"], ["walrsu", "walrus"], ["seal"]]);
  expect(seal?.weight).toBeGreaterThan(walrus?.weight ?? 0);
  expect(walrus?.weight).toBeGreaterThan(pumps?.weight ?? 0);
});
