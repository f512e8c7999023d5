import { describe, expect, it } from "vitest";
import { baseOf, scaleOf } from "./odds.ts";

const usual = 1;
const oddsOf = (rivals: { weight: number; sharpness: number } | undefined, found: readonly number[]) => {
  const odds = { offset: 0, slope: 0.1, prominence: 0, ...(rivals && { rivals }) };
  return (evidence: number) => baseOf({ odds, usual }, found) + scaleOf(odds) * evidence;
};
const rivals = { weight: 1, sharpness: 0.5 };

describe("odds", () => {
  it("fall with the number of pages with the same evidence", () => {
    const alone = oddsOf(rivals, [8, 1, 1])(8);
    const beside = oddsOf(rivals, [8, 8, 1])(8);
    expect(beside).toBeLessThan(alone);
    expect(oddsOf(undefined, [8, 8, 1])(8)).toBe(oddsOf(undefined, [8, 1, 1])(8));
  });

  it("are the same with two pages and with eighteen more without evidence", () => {
    const usualOnes = Array.from({ length: 18 }, () => usual);
    expect(oddsOf(rivals, [8, 3])(8)).toBeCloseTo(oddsOf(rivals, [8, 3, ...usualOnes])(8), 10);
  });

  it("do not depend on pages beyond the twentieth", () => {
    const some = Array.from({ length: 20 }, (_, rank) => 9 - rank / 10);
    expect(oddsOf(rivals, [...some, 2, 2, 2])(9)).toBe(oddsOf(rivals, some)(9));
  });

  it("rise with the evidence", () => {
    const odds = oddsOf(rivals, [5, 4, 3]);
    expect(odds(5)).toBeGreaterThan(odds(4));
  });
});
