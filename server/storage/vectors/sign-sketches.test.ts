import { expect, test } from "vitest";
import { createRandom } from "../../../bench/measuring/random.ts";
import { createSignSketches } from "./sign-sketches.ts";

const random = createRandom(9);
const signsOf = (vector: Float32Array): Uint8Array => {
  const signs = new Uint8Array(vector.length / 8);
  for (const [at, value] of vector.entries()) if (value > 0) signs[at >> 3] = (signs[at >> 3] ?? 0) | (1 << (at & 7));
  return signs;
};
const vectorOf = (dimensions: number): Float32Array => Float32Array.from({ length: dimensions }, () => random() - 0.5);

function sketchesOf(vectors: readonly Float32Array[], dimensions: number) {
  const sketches = createSignSketches(dimensions, vectors.length);
  if (sketches === undefined) throw new Error("no sketches");
  for (const vector of vectors) sketches.push(signsOf(vector));
  return sketches;
}

const signProduct = (question: Float32Array, vector: Float32Array): number =>
  question.reduce((sum, value, at) => sum + ((vector[at] ?? 0) > 0 ? value : -value), 0);

test("rows are as near as what the question has in their signs, but for what tables round off", () => {
  for (const [dimensions, count] of [
    [32, 1],
    [96, 16],
    [1024, 50],
  ] as const) {
    const vectors = Array.from({ length: count }, () => vectorOf(dimensions));
    const question = vectorOf(dimensions);
    const groups = dimensions / 4;
    const sizes = Array.from({ length: groups }, (_, group) =>
      question.subarray(4 * group, 4 * group + 4).reduce((sum, value) => sum + Math.abs(value), 0),
    );
    // Each group rounds off half a step at most.
    const largest = Math.max(...sizes);
    const step = (2 * largest) / 31;
    const likeness = sketchesOf(vectors, dimensions).likenessOf(question);
    expect(likeness).toHaveLength(count);
    for (const [row, vector] of vectors.entries()) {
      const product = (likeness[row] ?? 0) * step - groups * largest;
      expect(Math.abs(product - signProduct(question, vector))).toBeLessThanOrEqual((groups * step) / 2 + 0.001);
    }
  }
});

test("the order is that of all values of a question, and not of its signs alone", () => {
  const question = new Float32Array(64).fill(0.01);
  question[40] = 1;
  const one = new Float32Array(64).fill(-1);
  one[40] = 1;
  const other = new Float32Array(64).fill(1);
  other[40] = -1;
  const [likeOne = 0, likeOther = 0] = sketchesOf([one, other], 64).likenessOf(question);
  expect(likeOne).toBeGreaterThan(likeOther);
});

test("the largest sums stay within 16 bits, and a question of zeros tells nothing apart", () => {
  const [most, least] = [new Float32Array(8192).fill(1), new Float32Array(8192).fill(-1)];
  const sketches = sketchesOf([most, least], 8192);
  expect([...sketches.likenessOf(most)]).toEqual([(8192 / 4) * 31, 0]);
  const [one, other] = sketches.likenessOf(new Float32Array(8192));
  expect(one).toBe(other);
});

test("other dimensions, and more than there is room for, are refused", () => {
  const sketches = createSignSketches(64, 1);
  expect(() => sketches?.push(new Uint8Array(4))).toThrow(TypeError);
  sketches?.push(new Uint8Array(8));
  expect(() => sketches?.push(new Uint8Array(8))).toThrow(TypeError);
  expect(() => sketches?.likenessOf(vectorOf(32))).toThrow(TypeError);
  for (const dimensions of [0, 48, 16_384]) expect(createSignSketches(dimensions, 1)).toBeUndefined();
});
