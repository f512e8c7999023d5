import { expect, test } from "vitest";
import { createRandom } from "../../../bench/measuring/random.ts";
import { createByteMatrix } from "./byte-matrix.ts";

const random = createRandom(7);
const vectorOf = (dimensions: number): Int8Array =>
  Int8Array.from({ length: dimensions }, () => Math.floor(255 * random()) - 127);

test("products are those that JavaScript makes, also of rows of another matrix", () => {
  for (const dimensions of [16, 48, 1024]) {
    const vectors = Array.from({ length: 40 }, () => vectorOf(dimensions));
    const [one, other] = [createByteMatrix(dimensions, 40), createByteMatrix(dimensions, 40)];
    if (one === undefined || other === undefined) throw new Error("no matrix");
    vectors.forEach((vector, at) => one.push({ values: vector, scale: 1 / (at + 1) }));
    vectors.forEach((_, at) => {
      other.push(one.valuesOf(39 - at));
    });
    const question = Float32Array.from({ length: dimensions }, () => random() - 0.5);
    const largest = 127 * question.reduce((sum, value) => sum + Math.abs(value), 0);
    const [products, reversed] = [one.productsWith(question), other.productsWith(question)];
    for (const [at, vector] of vectors.entries()) {
      const expected = vector.reduce((sum, value, dimension) => sum + value * (question[dimension] ?? 0), 0) / (at + 1);
      expect(Math.abs((products[at] ?? Number.NaN) - expected)).toBeLessThan(largest / 10_000);
      expect(reversed[39 - at]).toBe(products[at]);
    }
  }
});

test("the largest sums stay within 32 bits, and a question of zeros gives zeros", () => {
  const matrix = createByteMatrix(2048, 1);
  matrix?.push({ values: new Int8Array(2048).fill(-127), scale: 1 });
  expect(matrix?.productsWith(new Float32Array(2048).fill(1))[0]).toBeCloseTo(-2048 * 127, 0);
  expect(matrix?.productsWith(new Float32Array(2048))[0]).toBeCloseTo(0, 6);
});

test("vectors of other dimensions, and more than there is room for, are refused", () => {
  const matrix = createByteMatrix(32, 1);
  expect(() => matrix?.push({ values: new Int8Array(16), scale: 1 })).toThrow(TypeError);
  matrix?.push({ values: new Int8Array(32), scale: 1 });
  expect(() => matrix?.push({ values: new Int8Array(32), scale: 1 })).toThrow(TypeError);
  expect(createByteMatrix(33, 1)).toBeUndefined();
});

test("of some rows alone there are products in their order", () => {
  const matrix = createByteMatrix(32, 10);
  for (let row = 0; row < 10; row++) matrix?.push({ values: vectorOf(32), scale: 1 });
  const question = Float32Array.from({ length: 32 }, () => random() - 0.5);
  const all = Array.from(matrix?.productsWith(question) ?? []);
  for (const rows of [[2, 3, 9], [0], [], [7, 8, 9], [0, 2, 4, 5, 6]]) {
    const some = Array.from(matrix?.productsWith(question, Uint32Array.from(rows)) ?? []);
    expect(some).toEqual(rows.map((row) => all[row]));
  }
});
