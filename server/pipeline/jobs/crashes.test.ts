import { expect, test } from "vitest";
import { planPages } from "./crashes.ts";

test("pages are taken up clean ones first, then suspects from the least suspect on; the fatal ones are given up", () => {
  const crashes = [
    { page: 2, crashes: 2 },
    { page: 4, crashes: 1 },
    { page: 5, crashes: 3 },
    { page: 6, crashes: 1 },
    { page: 9, crashes: 4 },
  ];
  expect(planPages([1, 2, 3, 4, 5, 6, 7], crashes)).toEqual({ clean: [1, 3, 7], suspects: [4, 6, 2], fatal: [5] });
});
