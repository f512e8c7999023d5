import { levels, nearestLevels } from "./nearest-levels.ts";

/** A vector as signed bytes, and what one of them stands for. */
export interface ScaledBytes {
  readonly values: Int8Array;
  readonly scale: number;
}

/**
 * The vectors of a page as bytes, for a space in which the first stands for the page and the others lean towards it. Only
 * directions are kept, since pages are ranked by cosines.
 *
 * - The first vector: a scale (float32, little-endian), then a signed byte per dimension.
 * - Each other: how many times the first, and how many times its levels it is (float32 both), then four bits per dimension
 *   for the level of what it has beside the first: the levels that lose least of a normal distribution (Max, "Quantizing
 *   for minimum distortion", 1960), the lower half of a byte first.
 *
 * A cosine with a question comes out with an error of some 0.001; server/storage/vectors/RESULTS.md has what that does.
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

/** How many vectors there are; undefined if the bytes are not codes of vectors of so many dimensions. */
export function countVectors(codes: Uint8Array, dimensions: number): number | undefined {
  const others = (codes.length - firstBytes(dimensions)) / otherBytes(dimensions);
  return Number.isInteger(others) && others >= 0 ? 1 + others : undefined;
}

/** The directions of the vectors that `encodeVectors` was given, with its error. None of other bytes. */
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

/** The first of the vectors as it is in the codes. */
export const firstIn = (codes: Uint8Array, dimensions: number): ScaledBytes => ({
  values: new Int8Array(codes.buffer, codes.byteOffset + floatBytes, dimensions),
  scale: viewOf(codes).getFloat32(0, true),
});

/** The same, of length 1; zeros if it had no direction. */
export function decodeFirst(codes: Uint8Array, dimensions: number): Float32Array {
  const { values, scale } = firstIn(codes, dimensions);
  const first = new Float32Array(dimensions);
  for (let at = 0; at < dimensions; at++) first[at] = scale * (values[at] ?? 0);
  return first;
}

/**
 * The cosines of a question, whose length does not matter, with the nearest vector of each page; not a number where none has
 * a direction.
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

/** 64-bit floats, as the question is: numbers of two kinds take half as long again to multiply. */
const levelValues = Float64Array.from(levels);

/** Of the question with the levels of the codes that begin at a place: two dimensions to a byte. */
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

/** A vector as signed bytes, and what one of them stands for if it is of length 1; the scale of a vector of zeros is 0. */
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

/** Writes the first vector and gives back what was kept of it. */
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
  // The product with the vector itself comes out right, and so do those with questions on average (after Gao and Long,
  // "RaBitQ", 2024), where the nearest step would give less.
  const step = length > 0 ? length ** 2 / product(kept, beside) : 0;
  // What the levels go along the first is taken back: the product with it comes out right too, and questions lean to it.
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

/** A copy of length 1; of zeros, zeros. */
function unit(vector: Float32Array): Float32Array {
  const length = lengthOf(vector);
  return length > 0 ? vector.map((value) => value / length) : vector.slice();
}
