import { expect, test } from "vitest";
import { createLibrary } from "../../../../test/stores/testing/library.ts";
import { countVectors, decodeVectors, encodeVectors, scoresOf } from "./codes.ts";

const dimensions = 256;
const library = createLibrary({ dimensions, pages: 50, vectorsPerPage: 5 });
const scorerOf =
  (question: Float32Array) =>
  (codes: Uint8Array): number =>
    scoresOf(question, [codes])[0] ?? Number.NaN;
const product = (one: Float32Array, other: Float32Array): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
const cosine = (one: Float32Array, other: Float32Array): number =>
  product(one, other) / Math.sqrt(product(one, one) * product(other, other));
const codesOf = library.pages.map(({ vectors }) => encodeVectors(vectors));

test("a page's score is the cosine with the nearest of its vectors, whatever their length and that of the query", () => {
  for (let question = 0; question < 5; question++) {
    const query = library.query(1);
    const score = scorerOf((query[0] ?? new Float32Array()).map((value) => 7 * value));
    for (const [at, codes] of codesOf.entries()) {
      expect(Math.abs(score(codes) - library.score(query, at + 1))).toBeLessThan(0.03);
    }
  }
  const [{ vectors } = { vectors: [] }] = library.pages;
  const longer = vectors.map((vector, at) => vector.map((value) => (at + 2) * value));
  const score = scorerOf(library.query(1)[0] ?? new Float32Array());
  expect(score(encodeVectors(longer))).toBeCloseTo(score(codesOf[0] ?? new Uint8Array()), 5);
});

test("five vectors take a byte per dimension plus four half bytes, and keep their directions", () => {
  const [{ vectors } = { vectors: [] }] = library.pages;
  const codes = encodeVectors(vectors);
  expect(codes.length).toBe(4 + dimensions + 4 * (8 + dimensions / 2));
  expect(countVectors(codes, dimensions)).toBe(5);
  const decoded = decodeVectors(codes, dimensions);
  for (const [at, vector] of vectors.entries()) {
    expect(cosine(vector, decoded[at] ?? vector)).toBeGreaterThan(at === 0 ? 0.9999 : 0.995);
  }
});

test("the products of a vector with the first and with itself are right to a hundred-thousandth", () => {
  for (const { vectors } of library.pages) {
    for (const other of vectors.slice(1)) {
      const codes = encodeVectors([vectors[0] ?? other, other]);
      const [first = other] = decodeVectors(codes, dimensions);
      // The opposite of the first vector is nearer to the other one.
      const opposite = first.map((value) => -value);
      expect(scorerOf(opposite)(codes)).toBeCloseTo(cosine(opposite, other), 5);
      expect(scorerOf(other)(codes)).toBeCloseTo(1, 5);
    }
  }
});

test("a vector that differs from the first in a few large values keeps these", () => {
  const first = new Float32Array(dimensions).fill(1);
  const other = first.map((value, at) => (at % 64 === 0 ? 9 * value : value + (at % 7) / 7));
  const [, decoded = first] = decodeVectors(encodeVectors([first, other]), dimensions);
  expect(cosine(decoded, other)).toBeGreaterThan(0.97);
});

test("vectors whose number of dimensions is no multiple of 32 are compared in the same way", () => {
  const fewer = library.pages.map(({ vectors }) => vectors.map((vector) => vector.subarray(0, 250)));
  const [query = new Float32Array()] = library.query(1);
  const filled = fewer.map((vectors) => vectors.map((vector) => Float32Array.from([...vector, 0, 0, 0, 0, 0, 0])));
  const asked = Float32Array.from([...query.subarray(0, 250), 0, 0, 0, 0, 0, 0]);
  const scores = scoresOf(query.subarray(0, 250), fewer.map(encodeVectors));
  for (const [at, score] of scoresOf(asked, filled.map(encodeVectors)).entries()) {
    expect(Math.abs(score - (scores[at] ?? Number.NaN))).toBeLessThan(0.03);
  }
});

test("bytes that begin anywhere in a buffer are read like others", () => {
  const [codes = new Uint8Array()] = codesOf;
  const shifted = new Uint8Array([1, 2, 3, ...codes]).subarray(3);
  const score = scorerOf(library.query(1)[0] ?? new Float32Array());
  expect(score(shifted)).toBe(score(codes));
});

test("a vector of zeros matches nothing, and the other vectors of its page count", () => {
  const [zeros, one] = [new Float32Array(16), new Float32Array(16).fill(1)];
  const score = scorerOf(one);
  expect(score(encodeVectors([zeros]))).toBeNaN();
  expect(score(encodeVectors([zeros, zeros]))).toBeNaN();
  expect(score(encodeVectors([zeros, one]))).toBeCloseTo(1, 1);
  expect(score(encodeVectors([one, zeros]))).toBeCloseTo(1, 3);
});

test("the number of dimensions may be odd, and other bytes are rejected", () => {
  const odd = [Float32Array.from([1, 2, 3]), Float32Array.from([3, -2, 1])];
  expect(decodeVectors(encodeVectors(odd), 3)).toHaveLength(2);
  expect(scorerOf(Float32Array.from([1, 2, 3]))(encodeVectors(odd))).toBeCloseTo(1, 2);
  expect(countVectors(new Uint8Array(5), 16)).toBeUndefined();
  expect(decodeVectors(new Uint8Array(5), 16)).toEqual([]);
});
