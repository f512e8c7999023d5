import { expect, test } from "vitest";
import { createRandom } from "../../../bench/measuring/random.ts";
import { createNibbleMatrix, encodeNibbles, signsOf } from "./nibble-matrix.ts";

const random = createRandom(5);
const vectorOf = (dimensions: number): Float32Array =>
  Float32Array.from({ length: dimensions }, () => random() + random() + random() - 1.5);

function matrixOf(vectors: readonly Float32Array[], dimensions: number) {
  const matrix = createNibbleMatrix(dimensions, vectors.length);
  if (matrix === undefined) throw new Error("no matrix");
  for (const vector of vectors) matrix.push(encodeNibbles(vector));
  return matrix;
}

/** What the codes stand for. */
function decode({ values, scale }: ReturnType<typeof encodeNibbles>): number[] {
  return Array.from({ length: 2 * values.length }, (_, at) => {
    const pair = (values[Math.floor(at / 32) * 16 + (at % 16)] ?? 0) & 255;
    return scale * ((at % 32 < 16 ? pair & 15 : pair >> 4) - 7.5);
  });
}

const product = (one: ArrayLike<number>, other: ArrayLike<number>): number =>
  Array.from(one).reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

test("products are those that JavaScript makes of the same codes", () => {
  for (const dimensions of [32, 96, 1024]) {
    const vectors = Array.from({ length: 40 }, () => vectorOf(dimensions));
    const question = vectorOf(dimensions);
    const largest = Math.max(...question.map(Math.abs));
    const asked = Array.from(question, (value) => (Math.round((127 * value) / largest) * largest) / 127);
    const products = matrixOf(vectors, dimensions).productsWith(question);
    for (const [at, vector] of vectors.entries()) {
      expect(products[at]).toBeCloseTo(product(asked, decode(encodeNibbles(vector))), 4);
    }
  }
});

test("codes are near to the direction of their vector, and its product with itself is 1", () => {
  for (const size of [0.001, 1, 1000]) {
    const vector = vectorOf(1024).map((value) => value * size);
    const codes = decode(encodeNibbles(vector));
    const length = Math.hypot(...vector);
    expect(product(codes, vector) / length).toBeCloseTo(1, 5);
    expect(1 / Math.hypot(...codes)).toBeGreaterThan(0.99);
  }
});

test("signs of codes are those of their vector", () => {
  const vector = vectorOf(96);
  const signs = signsOf(encodeNibbles(vector));
  expect(signs).toHaveLength(12);
  for (const [at, value] of vector.entries()) {
    expect(((signs[Math.floor(at / 8)] ?? 0) >> (at % 8)) & 1).toBe(value >= 0 ? 1 : 0);
  }
});

test("the largest values of codes and question stay within what the kernel can add", () => {
  const [most, least] = [new Float32Array(2048).fill(1), new Float32Array(2048).fill(-1)];
  const matrix = matrixOf([most, least, new Float32Array(2048)], 2048);
  for (const question of [most, least]) {
    const length = Math.hypot(...question);
    const products = Array.from(matrix.productsWith(question), (value) => Math.round((1000 * value) / length) + 0);
    expect(products).toEqual(question === most ? [1000, -1000, 0] : [-1000, 1000, 0]);
  }
  expect(Array.from(matrix.productsWith(new Float32Array(2048)), Math.abs)).toEqual([0, 0, 0]);
});

test("vectors of other dimensions, and more than there is room for, are refused", () => {
  const matrix = createNibbleMatrix(64, 1);
  expect(() => matrix?.push(encodeNibbles(vectorOf(32)))).toThrow(TypeError);
  matrix?.push(encodeNibbles(vectorOf(64)));
  expect(() => matrix?.push(encodeNibbles(vectorOf(64)))).toThrow(TypeError);
  expect(() => matrix?.productsWith(vectorOf(32))).toThrow(TypeError);
  expect(createNibbleMatrix(48, 1)).toBeUndefined();
  expect(createNibbleMatrix(0, 1)).toBeUndefined();
});
