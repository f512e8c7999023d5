import { expect, test } from "vitest";
import { createRandom } from "../../../bench/measuring/random.ts";
import { nibbleProductsOf } from "./nibbles.ts";

const levels = Int8Array.from([-127, -96, -75, -58, -44, -31, -18, -6, 6, 18, 31, 44, 58, 75, 96, 127]);
const random = createRandom(5);

test("products are those that JavaScript makes of each half of each byte", () => {
  for (const dimensions of [32, 96, 1024, 4096]) {
    const question = Float64Array.from({ length: dimensions }, () => random() - 0.5);
    const codes = Uint8Array.from({ length: dimensions / 2 + 9 }, () => Math.floor(256 * random()));
    const products = nibbleProductsOf(question, levels);
    products?.take(codes);
    for (const place of [0, 9]) {
      const expected = question.reduce((sum, value, dimension) => {
        const pair = codes[place + (dimension >> 1)] ?? 0;
        return sum + value * (levels[dimension % 2 === 0 ? pair & 15 : pair >> 4] ?? 0);
      }, 0);
      const largest = 127 * question.reduce((sum, value) => sum + Math.abs(value), 0);
      expect(Math.abs((products?.at(place) ?? Number.NaN) - expected)).toBeLessThan(largest / 2_000);
    }
  }
});

test("the largest sums stay within 32 bits", () => {
  const products = nibbleProductsOf(new Float64Array(2048).fill(1), levels);
  products?.take(new Uint8Array(1024).fill(255));
  expect(products?.at(0)).toBeCloseTo(2048 * 127, 0);
});

test("a question of zeros gives zero, and other numbers of dimensions are left to the caller", () => {
  const products = nibbleProductsOf(new Float64Array(32), levels);
  products?.take(new Uint8Array(16).fill(255));
  expect(products?.at(0)).toBe(0);
  expect(nibbleProductsOf(new Float64Array(33), levels)).toBeUndefined();
  expect(nibbleProductsOf(new Float64Array(), levels)).toBeUndefined();
});
