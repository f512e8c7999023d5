import { expect, test } from "vitest";
import { createRandom } from "../../../bench/measuring/random.ts";
import { codeProductsOf } from "./code-products.ts";

const levels = Int8Array.from([-127, -96, -75, -58, -44, -31, -18, -6, 6, 18, 31, 44, 58, 75, 96, 127]);
const random = createRandom(5);
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => Math.floor(256 * random()));

/** What JavaScript makes of it. */
const sumOf = (question: Float64Array, valueAt: (dimension: number) => number): number =>
  question.reduce((sum, value, dimension) => sum + value * valueAt(dimension), 0);

test("products are those that JavaScript makes of each half of each byte, of one vector or several", () => {
  for (const dimensions of [32, 96, 1024, 4096]) {
    const question = Float64Array.from({ length: dimensions }, () => random() - 0.5);
    const codes = bytes(3 * dimensions);
    const products = codeProductsOf(question, levels);
    products?.take(codes);
    const largest = 127 * question.reduce((sum, value) => sum + Math.abs(value), 0);
    for (const [place, stride, count] of [
      [0, 0, 1],
      [9, dimensions / 2 + 8, 3],
    ] as const) {
      const sums = products?.ofNibbles(place, stride, count);
      for (let at = 0; at < count; at++) {
        const expected = sumOf(question, (dimension) => {
          const pair = codes[place + at * stride + (dimension >> 1)] ?? 0;
          return levels[dimension % 2 === 0 ? pair & 15 : pair >> 4] ?? 0;
        });
        expect(Math.abs((sums?.[at] ?? Number.NaN) - expected)).toBeLessThan(largest / 2_000);
      }
    }
  }
});

test("products with bytes are exact to a hundred-millionth of the largest, and codes are seen as they are", () => {
  const question = Float64Array.from({ length: 1024 }, () => random() - 0.5);
  const codes = bytes(2_000);
  const products = codeProductsOf(question, levels);
  const view = products?.take(codes);
  expect(view?.getFloat32(40, true)).toBe(new DataView(codes.buffer).getFloat32(40, true));
  const expected = sumOf(question, (dimension) => ((codes[4 + dimension] ?? 0) << 24) >> 24);
  const largest = 127 * question.reduce((sum, value) => sum + Math.abs(value), 0);
  expect(Math.abs((products?.ofBytes(4) ?? Number.NaN) - expected)).toBeLessThan(largest / 1e8);
});

test("the largest sums stay within 32 bits", () => {
  const products = codeProductsOf(new Float64Array(2048).fill(1), levels);
  products?.take(new Uint8Array(2048).fill(255));
  expect(products?.ofNibbles(0, 0, 1)[0]).toBeCloseTo(2048 * 127, 0);
  products?.take(new Uint8Array(2048).fill(129));
  expect(products?.ofBytes(0)).toBeCloseTo(2048 * -127, 3);
});

test("the codes of a page may be of any length", () => {
  const question = Float64Array.from({ length: 32 }, () => random() - 0.5);
  const [one, count] = [bytes(16), 40_000];
  const products = codeProductsOf(question, levels);
  products?.take(one);
  const expected = products?.ofNibbles(0, 0, 1)[0];
  products?.take(Uint8Array.from({ length: 16 * count }, (_, at) => one[at % 16] ?? 0));
  const sums = products?.ofNibbles(0, 16, count);
  expect(new Set(sums?.subarray(0, count))).toEqual(new Set([expected]));
});

test("a question of zeros gives zero, and other numbers of dimensions are left to the caller", () => {
  const products = codeProductsOf(new Float64Array(32), levels);
  products?.take(new Uint8Array(64).fill(255));
  expect(products?.ofNibbles(0, 0, 1)[0]).toBe(0);
  expect(products?.ofBytes(0)).toBe(0);
  expect(codeProductsOf(new Float64Array(33), levels)).toBeUndefined();
  expect(codeProductsOf(new Float64Array(), levels)).toBeUndefined();
});
