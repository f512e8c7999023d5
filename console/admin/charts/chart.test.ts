import { expect, test } from "vitest";
import { piecesOf, shownLabels, ticksTo } from "./chart.tsx";

test("an axis has round whole steps and ends at or above the largest value", () => {
  expect(ticksTo(0)).toEqual([0, 1]);
  expect(ticksTo(3)).toEqual([0, 1, 2, 3]);
  expect(ticksTo(7)).toEqual([0, 2, 4, 6, 8]);
  expect(ticksTo(240)).toEqual([0, 100, 200, 300]);
  expect(ticksTo(1_000_000).at(-1)).toBe(1_000_000);
});

test("labels that do not fit are left out, never the last", () => {
  const shown = (count: number, width: number): number[] =>
    Array.from({ length: count }, (_, index) => index).filter(shownLabels(count, width, 50));
  expect(shown(4, 400)).toEqual([0, 1, 2, 3]);
  expect(shown(12, 300)).toEqual([1, 3, 5, 7, 9, 11]);
  expect(shown(3, 10)).toEqual([2]);
});

test("a line breaks where nothing is known", () => {
  expect(piecesOf([undefined, [1, 1], [2, 1], undefined, undefined, [5, 3]])).toEqual([
    [
      [1, 1],
      [2, 1],
    ],
    [[5, 3]],
  ]);
  expect(piecesOf([undefined])).toEqual([]);
});
