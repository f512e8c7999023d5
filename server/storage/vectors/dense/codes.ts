import { levels, nearestLevels } from "./nearest-levels.ts";
import type { CodedRow, DenseSpace } from "../../../domain/ports/vectors.ts";

/** A vector as signed bytes, and the value of one step. */
interface ScaledBytes {
  readonly values: Int8Array;
  readonly scale: number;
}

/**
 * Encodes the vectors of a page as bytes, for a space in which the first vector represents the page and the others lean
 * towards it. Only directions are stored, since pages are ranked by cosines.
 *
 * - The first vector: a scale (float32, little-endian), then a signed byte per dimension.
 * - Each other vector: the factors of the first vector and of its levels (both float32), then four bits per dimension
 *   with the level of its residual from the first: the levels with the least error for a normal distribution (Max,
 *   "Quantizing for minimum distortion", 1960), the lower half of a byte first.
 *
 * A cosine with a query has an error of some 0.001; server/storage/vectors/RESULTS.md has the effect on results.
 */
export function encodeVectors(vectors: readonly Float32Array[]): Uint8Array {
  const [first = new Float32Array(), ...others] = vectors.map(unit);
  const dimensions = first.length;
  const bytes = new Uint8Array(firstBytes(dimensions) + others.length * otherBytes(dimensions));
  const view = new DataView(bytes.buffer);
  const along = writeFirst(first, view);
  others.forEach((other, at) => encodeOther(other, along, view, firstBytes(dimensions) + at * otherBytes(dimensions)));
  return bytes;
}

/** Returns the number of vectors, or undefined if the bytes are not codes of vectors with this many dimensions. */
export function countVectors(codes: Uint8Array, dimensions: number): number | undefined {
  const others = (codes.length - firstBytes(dimensions)) / otherBytes(dimensions);
  return Number.isInteger(others) && others >= 0 ? 1 + others : undefined;
}

/**
 * Decodes the directions of the vectors, with the error of `encodeVectors`. Returns none if the bytes are not codes.
 */
export function decodeVectors(codes: Uint8Array, dimensions: number): Float32Array[] {
  const count = countVectors(codes, dimensions);
  if (count === undefined) return [];
  const view = viewOf(codes);
  const first = decodeFirst(codes, dimensions);
  const others = Array.from({ length: count - 1 }, (_, at) => {
    const from = firstBytes(dimensions) + at * otherBytes(dimensions);
    const [along, step] = [view.getFloat32(from, true), view.getFloat32(from + floatBytes, true)];
    return unit(
      first.map((value, dimension) => {
        const pair = codes[from + 2 * floatBytes + (dimension >> 1)] ?? 0;
        const level = levels[dimension % 2 === 0 ? pair & 15 : pair >> 4] ?? 0;
        return along * value + step * level;
      }),
    );
  });
  return [first, ...others];
}

/** Returns the first vector, as stored in the codes. */
export const firstIn = (codes: Uint8Array, dimensions: number): ScaledBytes => ({
  values: new Int8Array(codes.buffer, codes.byteOffset + floatBytes, dimensions),
  scale: viewOf(codes).getFloat32(0, true),
});

/** Returns the first vector with length 1; zeros if it had no direction. */
export function decodeFirst(codes: Uint8Array, dimensions: number): Float32Array {
  const { values, scale } = firstIn(codes, dimensions);
  const first = new Float32Array(dimensions);
  for (let at = 0; at < dimensions; at++) first[at] = scale * (values[at] ?? 0);
  return first;
}

/**
 * Returns the cosine between the query and the nearest vector of each page; NaN if no vector of a page has a direction.
 * The length of the query does not matter.
 */
export function scoresOf(question: Float32Array, pages: readonly Uint8Array[]): Float64Array {
  const asked = new Float64Array(unit(question));
  const scores = new Float64Array(pages.length);
  for (const [at, codes] of pages.entries()) scores[at] = scoreOf(asked, codes);
  return scores;
}

function scoreOf(asked: Float64Array, codes: Uint8Array): number {
  const dimensions = asked.length;
  const count = countVectors(codes, dimensions);
  if (count === undefined) return Number.NaN;
  const view = viewOf(codes);
  const { values, scale } = firstIn(codes, dimensions);
  const ofFirst = scale * product(asked, values);
  let best = scale > 0 ? ofFirst : Number.NaN;
  for (let at = 0; at < count - 1; at++) {
    const place = firstBytes(dimensions) + at * otherBytes(dimensions);
    const [along, step] = [view.getFloat32(place, true), view.getFloat32(place + floatBytes, true)];
    const score = along * ofFirst + step * productWithLevels(asked, codes, place + 2 * floatBytes);
    if (score > best || Number.isNaN(best)) best = score;
  }
  return best;
}

/** The levels as 64-bit floats like the query, because multiplying mixed types takes 50 % longer. */
const levelValues = Float64Array.from(levels);

/** Returns the product of the query with the levels of the codes that begin at `from`, two dimensions per byte. */
function productWithLevels(asked: Float64Array, codes: Uint8Array, from: number): number {
  let [even, odd] = [0, 0];
  const bytes = asked.length / 2;
  for (let at = 0; at < bytes; at++) {
    const pair = codes[from + at] ?? 0;
    even += (asked[2 * at] ?? 0) * (levelValues[pair & 15] ?? 0);
    odd += (asked[2 * at + 1] ?? 0) * (levelValues[pair >> 4] ?? 0);
  }
  return even + odd;
}

export const floatBytes = 4;
export const firstBytes = (dimensions: number): number => floatBytes + dimensions;
export const otherBytes = (dimensions: number): number => 2 * floatBytes + Math.ceil(dimensions / 2);

/**
 * Scales a vector to signed bytes. The scale is the value of one step for a vector of length 1; 0 for a vector of
 * zeros.
 */
export function encodeFirst(first: Float32Array): ScaledBytes {
  let largest = 0;
  for (const value of first) largest = Math.max(largest, Math.abs(value));
  const values = new Int8Array(first.length);
  if (largest === 0) return { values, scale: 0 };
  let squares = 0;
  for (let at = 0; at < first.length; at++) {
    const value = Math.round((127 * (first[at] ?? 0)) / largest);
    values[at] = value;
    squares += value * value;
  }
  return { values, scale: Math.fround(1 / Math.sqrt(squares)) };
}

/** Writes the first vector, and returns it as it will be decoded. */
function writeFirst(first: Float32Array, view: DataView): Float32Array {
  const { values, scale } = encodeFirst(first);
  view.setFloat32(0, scale, true);
  values.forEach((value, at) => view.setInt8(floatBytes + at, value));
  return Float32Array.from(values, (value) => scale * value);
}

function encodeOther(other: Float32Array, first: Float32Array, view: DataView, from: number): void {
  const along = product(other, first);
  const beside = other.map((value, at) => value - along * (first[at] ?? 0));
  const { codes, values: kept } = nearestLevels(beside);
  const length = lengthOf(beside);
  // With this step, the product with the vector itself is exact, and products with queries are exact on average (after
  // Gao and Long, "RaBitQ", 2024). With the step of the nearest levels they would be too small.
  const step = length > 0 ? length ** 2 / product(kept, beside) : 0;
  // The component of the levels along the first vector is subtracted, so that the product with the first vector is
  // exact too. Queries lean towards that vector.
  const corrected = along - step * product(kept, first);
  view.setFloat32(from, lengthOf(other) > 0 ? corrected : Number.NaN, true);
  view.setFloat32(from + floatBytes, step, true);
  for (let at = 0; at < codes.length; at += 2) {
    view.setUint8(from + 2 * floatBytes + at / 2, (codes[at] ?? 0) | ((codes[at + 1] ?? 0) << 4));
  }
}

const viewOf = (codes: Uint8Array): DataView => new DataView(codes.buffer, codes.byteOffset, codes.byteLength);

function product(one: Float64Array | Float32Array | Int8Array, other: Float32Array | Int8Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

const lengthOf = (vector: Float32Array): number => Math.sqrt(product(vector, vector));

/** Returns a copy of length 1; zeros for a vector of zeros. */
function unit(vector: Float32Array): Float32Array {
  const length = lengthOf(vector);
  return length > 0 ? vector.map((value) => value / length) : vector.slice();
}

/** Whether the vectors of the pages in this space are stored as codes. */
export const isCoded = ({ firstPass, scoring = "best" }: DenseSpace): boolean =>
  firstPass === "first" && scoring === "best";

type Coded = Pick<CodedRow, "first" | "codes">;

/** Encodes the vectors of a page for a coded space. Throws `TypeError` on vectors that do not belong in the space. */
export function codesOf(space: DenseSpace, vectors: readonly Float32Array[]): Coded {
  for (const { length } of vectors) {
    if (length === space.dimensions) continue;
    throw new TypeError(`a vector of ${length} dimensions in the space ${space.name} of ${space.dimensions}`);
  }
  if (!vectors.every((vector) => vector.every(Number.isFinite))) {
    throw new TypeError(`a vector in the space ${space.name} with values out of range`);
  }
  return { first: vectors[0] ?? new Float32Array(), codes: encodeVectors(vectors) };
}

/** Returns the row. Throws `TypeError` on codes that do not belong in the space. */
export function checkedCodes({ name, dimensions }: DenseSpace, row: Coded): Coded {
  if (row.first.length === dimensions && countVectors(row.codes, dimensions) !== undefined) return row;
  throw new TypeError(`codes that are not of vectors of ${dimensions} dimensions in the space ${name}`);
}

/**
 * Returns the vectors of a page. The first one is stored beside the codes with higher precision; the others have the
 * error of the codes.
 */
export const vectorsOfCodes = ({ first, codes }: Coded): Float32Array[] => [
  first,
  ...decodeVectors(codes, first.length).slice(1),
];
