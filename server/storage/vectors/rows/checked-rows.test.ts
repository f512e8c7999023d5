import { array, assert, double, integer, property } from "fast-check";
import { expect, test } from "vitest";
import { checkCodes } from "./checked-rows.ts";
import { encodeVectors, scoresOf } from "../dense/codes.ts";

const rowOf = (vectors: readonly (readonly number[])[]) => {
  const [first = [], ...others] = vectors.map((vector) => {
    const length = Math.hypot(...vector);
    return Float32Array.from(vector, (value) => (length > 0 ? value / length : 0));
  });
  return {
    first: new Float32Array(new Float16Array(first)),
    codes: encodeVectors([Float32Array.from(first), ...others]),
  };
};
const dimensions = 24;
const bounds = { dimensions, maxVectors: 10 };
const value = double({ min: -1, max: 1, noNaN: true });
/** Includes vectors with few non-zero values, and with large values among small ones. */
const vector = array(
  value.map((one) => (Math.abs(one) < 0.5 ? 0 : one ** 9)),
  { minLength: dimensions, maxLength: dimensions },
);
const vectors = array(vector, { minLength: 1, maxLength: 4 });

test("codes of the encoder pass, whatever the vectors", () => {
  assert(
    property(vectors, (some) => {
      expect(() => checkCodes(rowOf(some), bounds)).not.toThrow();
    }),
    { numRuns: 3_000 },
  );
  const oneValue = (at: number) => Array.from({ length: 384 }, (_, index) => Number(index === at));
  checkCodes(rowOf([oneValue(0), oneValue(0), oneValue(1)]), { dimensions: 384, maxVectors: 10 });
});

/** A vector with one value that is `ratio` times as large as some others; the rest are zeros. */
const fewValues = (dimensions: number, width: number, ratio: number): number[] =>
  Array.from({ length: dimensions }, (_, at) => (at === 0 ? ratio : Number(at < width)));

test.each([2, 5, 24, 96, 384, 1_024])(
  "vectors of %i dimensions pass in which few values are far larger than the others",
  (size) => {
    const widths = [2, 3, 5, 9, 17, 65].filter((width) => width <= size);
    for (const width of widths) {
      for (let ratio = 1; ratio < 32; ratio *= 1.15) {
        const sparse = fewValues(size, width, ratio);
        const dense = sparse.map((one) => one || 0.02);
        const row = rowOf([fewValues(size, width, 1), sparse, dense]);
        const withoutFirst = rowOf([dense.map(() => 0), sparse, dense]);
        for (const each of [row, withoutFirst])
          expect(() => checkCodes(each, { dimensions: size, maxVectors: 10 })).not.toThrow();
      }
    }
  },
);

test("codes that pass give no cosine far beyond 1, whatever bytes of them are changed", () => {
  const dense = array(value, { minLength: dimensions, maxLength: dimensions });
  const changes = array(integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 });
  let refused = 0;
  assert(
    property(
      array(dense, { minLength: 3, maxLength: 3 }),
      integer({ min: 0, max: 60 }),
      changes,
      (some, from, bytes) => {
        const row = rowOf(some);
        row.codes.set(bytes, from);
        try {
          checkCodes(row, bounds);
        } catch (cause) {
          expect(cause).toBeInstanceOf(TypeError);
          refused += 1;
          return;
        }
        for (const question of some) expect(scoresOf(Float32Array.from(question), [row.codes])[0]).toBeLessThan(1.2);
      },
    ),
    { numRuns: 2_000 },
  );
  expect(refused).toBeGreaterThan(1_000);
});

test.each<[string, (view: DataView) => void]>([
  ["a scale of its own", (view) => view.setFloat32(0, 2, true)],
  ["a scale that is no number", (view) => view.setFloat32(0, Number.NaN, true)],
  ["a negative scale", (view) => view.setFloat32(0, -view.getFloat32(0, true), true)],
  ["a first vector of other bytes", (view) => view.setInt8(5, 127)],
  ["a vector far along the first", (view) => view.setFloat32(4 + dimensions, 50, true)],
  ["a vector far beside it", (view) => view.setFloat32(8 + dimensions, 50, true)],
  ["an infinite step", (view) => view.setFloat32(8 + dimensions, Infinity, true)],
  ["a vector that is too short", (view) => view.setFloat32(8 + dimensions, 0.0001, true)],
])("%s is refused", (_, change) => {
  const some = [1, 2].map((seed) => Array.from({ length: dimensions }, (_each, at) => Math.sin(seed * (at + 1))));
  const row = rowOf(some);
  checkCodes(row, bounds);
  change(new DataView(row.codes.buffer));
  expect(() => checkCodes(row, bounds)).toThrow(TypeError);
});
