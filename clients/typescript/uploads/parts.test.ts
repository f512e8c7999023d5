import { expect, test } from "vitest";
import { enoughPartBytes, maxParts } from "./parts.ts";

const mebibyte = 2 ** 20;

test.each([
  [0, 16 * mebibyte],
  [2 ** 31, 16 * mebibyte],
  [maxParts * 16 * mebibyte, 16 * mebibyte],
  [maxParts * 16 * mebibyte + 1, 17 * mebibyte],
  [10 ** 12, 96 * mebibyte],
])("a document of %i bytes fits into parts of %i", (size, partBytes) => {
  expect(enoughPartBytes(size, 16 * mebibyte)).toBe(partBytes);
  expect(size / partBytes).toBeLessThanOrEqual(maxParts);
});
