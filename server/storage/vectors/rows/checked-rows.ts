import type { DenseSpace, SpaceRef, StoredRow } from "../../../domain/ports/vectors.ts";
import { countVectors, encodeFirst, firstBytes, firstIn, floatBytes, isCoded, otherBytes } from "../dense/codes.ts";
import { levels } from "../dense/nearest-levels.ts";

/** Maximum number of vectors of a page: more than late interaction computes for a large picture. */
const maxVectors = 4_096;
/** Maximum number of characters of a page's terms: a few times as many as a page with 16 MB of words has. */
const maxTerms = 2 ** 26;

/**
 * Throws `TypeError`, with the reason, on a row of foreign origin that no page could have in this space. Reading and
 * ranking rely on properties of rows written by drs itself, such as vectors of length 1.
 */
export function checkRow(space: SpaceRef, row: StoredRow): void {
  if (space.kind === "dense") checkVectors(space, row);
  else if (!("terms" in row)) throw new TypeError("a row of vectors in a space of words");
  else if (!areTerms(row.terms)) throw new TypeError("terms that are not those of a page's words");
}

/** Whether the terms are words separated by single spaces. */
const areTerms = (terms: string): boolean =>
  terms !== "" && terms.length <= maxTerms && terms.isWellFormed() && !/^ | $| {2}|[\p{Cc}]/u.test(terms);

function checkVectors(space: DenseSpace, row: StoredRow): void {
  if ("terms" in row) throw new TypeError("a row of words in a space of vectors");
  if ("codes" in row) {
    if (!isCoded(space)) throw new TypeError("codes in a space that keeps vectors");
    checkCodes(row, { dimensions: space.dimensions, maxVectors });
    return;
  }
  const { vectors, pooled = [] } = row;
  if (vectors.length === 0 || vectors.length > maxVectors || pooled.length > vectors.length)
    throw new TypeError(`${vectors.length} vectors, and ${pooled.length} that stand for them`);
  for (const vector of [...vectors, ...pooled]) {
    if (vector.length !== space.dimensions)
      throw new TypeError(`a vector of ${vector.length} dimensions in a space of ${space.dimensions}`);
    if (!vector.every(Number.isFinite)) throw new TypeError("a vector contains values that are not finite numbers");
  }
}

/** Maximum error of the length of the first vector, which is stored in 16 bits beside its codes. */
const lengthError = 0.01;
/** Maximum error of products of unit vectors that are stored as codes: 32-bit floats, rounded to steps of a byte. */
const productError = 0.02;

/**
 * Throws `TypeError` unless `encodeVectors` could have made these codes and this first vector from some vectors,
 * including vectors of zeros. The scale follows from the bytes of the first vector. The other vectors may vary within
 * limits: they must be neither shorter than 1 nor longer than the worst-fitting levels make them.
 */
export function checkCodes(
  { first, codes }: { readonly first: Float32Array; readonly codes: Uint8Array },
  { dimensions, maxVectors }: { readonly dimensions: number; readonly maxVectors: number },
): void {
  const count = countVectors(codes, dimensions);
  if (first.length !== dimensions || count === undefined || count > maxVectors)
    throw new TypeError(`codes that are not of up to ${maxVectors} vectors of ${dimensions} dimensions`);
  checkFirst(first, codes);
  for (let at = 0; at < count - 1; at++)
    checkOther(codes, firstBytes(dimensions) + at * otherBytes(dimensions), dimensions);
}

function checkFirst(first: Float32Array, codes: Uint8Array): void {
  const { values, scale } = firstIn(codes, first.length);
  const squares = sum(values, (value) => value * value);
  const length = Math.sqrt(sum(first, (value) => value * value));
  const isNone = squares === 0 && scale === 0 && length === 0;
  if (isNone) return;
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (largest !== 127 || !(Math.abs(scale * Math.sqrt(squares) - 1) < 1e-6))
    throw new TypeError("a first vector whose scale is not that of its bytes");
  if (!(Math.abs(length - 1) < lengthError)) throw new TypeError("a first vector whose length is not 1");
  const asBytes = encodeFirst(first).values;
  if (values.some((value, at) => !(Math.abs(value - (asBytes[at] ?? Number.NaN)) <= 1)))
    throw new TypeError("codes of another first vector than the one beside them");
}

function checkOther(codes: Uint8Array, from: number, dimensions: number): void {
  const view = new DataView(codes.buffer, codes.byteOffset, codes.byteLength);
  const [along, step] = [view.getFloat32(from, true), view.getFloat32(from + floatBytes, true)];
  // The vector consists of zeros.
  if (Number.isNaN(along) && step === 0) return;
  const { values, scale } = firstIn(codes, dimensions);
  let [levelSquares, levelsByFirst] = [0, 0];
  for (let at = 0; at < dimensions; at++) {
    const pair = codes[from + 2 * floatBytes + (at >> 1)] ?? 0;
    const level = levels[at % 2 === 0 ? pair & 15 : pair >> 4] ?? 0;
    levelSquares += level * level;
    levelsByFirst += level * (values[at] ?? 0) * scale;
  }
  const byFirst = along + step * levelsByFirst;
  const beside = step ** 2 * (levelSquares - levelsByFirst ** 2);
  const besideShould = 1 - byFirst ** 2;
  const isSound =
    step >= 0 &&
    besideShould > -productError &&
    beside > besideShould - productError &&
    beside < Math.max(0, besideShould) * worstFit(dimensions) + productError;
  if (!isSound) throw new TypeError("codes of a vector whose length is not 1");
}

/**
 * Returns the maximum factor by which the squared length of a vector's levels can be too large: one over the square of
 * their cosine with the vector. No level is zero, so a single value among zeros gets other values beside it. Values
 * beyond the largest level are stored as that level, however large they are. The maximum effect of this, for values
 * with the mean square at which the search for a width begins (`nearest-levels.ts`), was found by linear programming
 * for 1 to 8,192 dimensions; it is less than a 16th of the root of the number of dimensions.
 */
function worstFit(dimensions: number): number {
  const [smallest, largest] = [levels.find((level) => level > 0) ?? 0, levels.at(-1) ?? 0];
  return 1 + dimensions * (smallest / largest) ** 2 + Math.sqrt(dimensions) / 16;
}

function sum(values: Float32Array | Int8Array, of: (value: number) => number): number {
  let all = 0;
  for (let at = 0; at < values.length; at++) all += of(values[at] ?? 0);
  return all;
}
