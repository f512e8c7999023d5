import { expect, test } from "vitest";
import { baseOf, scaleOf } from "../../server/ranking/calibrate/odds.ts";
import { fitOdds } from "./fit-odds.ts";

/** A fixed sequence in 0..1 (Lehmer). */
function sequence(): () => number {
  let state = 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

test("the odds equal those that the answers were drawn from", () => {
  const next = sequence();
  const odds = { offset: -1, slope: 0.2, prominence: 0, rivals: { weight: 0.8, sharpness: 0.5 } };
  const questions = Array.from({ length: 8_000 }, () => {
    // Some questions have strong evidence and some have none: otherwise slope and offset could stand for each other.
    const strongest = 15 * next();
    const values = Array.from({ length: 20 }, () => strongest * next()).toSorted((a, b) => b - a);
    const base = baseOf({ odds, usual: 0 }, values);
    return { values, relevant: values.map((value) => next() < 1 / (1 + Math.exp(-base - scaleOf(odds) * value))) };
  });
  const fitted = fitOdds([{ weight: 1, questions }]);
  expect(fitted.odds.offset).toBeCloseTo(-1, 0);
  expect(fitted.odds.slope).toBeCloseTo(0.2, 1);
  expect(fitted.odds.rivals.weight).toBeCloseTo(0.8, 1);
  expect(fitted.usual).toBeCloseTo(2.8, 0);
});
