import { expect, test } from "vitest";
import { reliabilityOf, reliabilityTable } from "./reliability.ts";

test("scores are counted by tenths, with the share of pages that are answers", () => {
  const scored = [
    { score: 0.05, isRelevant: false },
    { score: 0.32, isRelevant: true },
    { score: 0.38, isRelevant: false },
    { score: 1, isRelevant: true },
  ];
  expect(reliabilityOf(scored)).toEqual([
    { from: 0, pages: 1, meanScore: 0.05, share: 0 },
    { from: 0.3, pages: 2, meanScore: 0.35, share: 0.5 },
    { from: 0.9, pages: 1, meanScore: 1, share: 1 },
  ]);
  expect(reliabilityTable({ all: scored })).toContain("0.35 → 0.50 (2)");
});

test("a page counts according to its weight", () => {
  const scored = [
    { score: 0.5, isRelevant: true, weight: 3 },
    { score: 0.5, isRelevant: false, weight: 1 },
  ];
  expect(reliabilityOf(scored)[0]?.share).toBeCloseTo(0.75, 10);
});
