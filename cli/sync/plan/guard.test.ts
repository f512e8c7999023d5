import { expect, test } from "vitest";
import { type Action, deletesMost } from "./plan.ts";

const deletions = (amount: number): Action[] =>
  Array.from({ length: amount }, (_, index) => ({ kind: "delete", path: `${index}`, datasets: [] }));

test.each([
  [0, 0, false],
  [1, 1, true],
  [2, 3, false],
  [10, 15, false],
  [11, 22, false],
  [11, 21, true],
  [100, 1_000, false],
  [1_000, 1_000, true],
])("%i of %i: %s", (amount, known, most) => {
  expect(deletesMost({ actions: deletions(amount), known })).toBe(most);
});
