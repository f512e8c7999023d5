import { expect, test } from "vitest";
import { planPages } from "./suspects.ts";

test("suspects are processed apart from the others, and only those that need processing", () => {
  expect(planPages([1, 2, 3, 4, 5], [4, 2, 9, 0])).toEqual({ clean: [1, 3, 5], suspects: [2, 4] });
});
