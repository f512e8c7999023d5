import { describe, expect, it } from "vitest";
import { fitOdds } from "./fit-odds.ts";

/** A fixed sequence in 0..1 (Lehmer). */
function sequence(): () => number {
  let state = 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

describe("odds", () => {
  it("are those by which the answers were drawn", () => {
    const next = sequence();
    const questions = Array.from({ length: 4_000 }, () => {
      const values = Array.from({ length: 20 }, () => 10 * next()).toSorted((a, b) => b - a);
      const usual = values.slice(5).reduce((sum, value) => sum + value, 0) / 15;
      const relevant = values.map((value) => next() < 1 / (1 + Math.exp(6 - 0.5 * value - 0.4 * (value - usual))));
      return { values, relevant };
    });
    const { odds, usual } = fitOdds([questions]);
    expect(odds.offset).toBeCloseTo(-6, 0);
    expect(odds.slope).toBeCloseTo(0.5, 1);
    expect(odds.prominence).toBeCloseTo(0.4, 1);
    expect(usual).toBeCloseTo(3.8, 0);
  });
});
