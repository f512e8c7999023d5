import { expect, test } from "vitest";
import { planPages } from "./plan.ts";

test("suspects are worked on apart from the others, and only those that are to be worked on at all", () => {
  expect(planPages([1, 2, 3, 4, 5], [4, 2, 9, 0])).toEqual({ clean: [1, 3, 5], suspects: [2, 4] });
});
