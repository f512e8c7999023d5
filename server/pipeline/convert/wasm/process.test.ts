import { expect, test } from "vitest";
import { parseProcessors } from "./process.ts";

test("lists of processors are read as Linux writes them", () => {
  expect(parseProcessors("0-2,5")).toEqual([0, 1, 2, 5]);
  expect(parseProcessors("7")).toEqual([7]);
  expect(parseProcessors("")).toEqual([]);
});
