import type { DatasetId } from "../../domain/ids.ts";
import type { PageKey } from "../../domain/ports/vectors.ts";
import { createByteMatrix, type ScaledBytes } from "./byte-matrix.ts";
import type { PageCodes } from "./coded-pages.ts";
import { areBytesOf, countVectors, encodeFirst, firstIn } from "./codes.ts";
import { largestAt } from "./largest-at.ts";
import { mostAlike } from "./most-alike.ts";
import { areNibblesOf, createNibbleMatrix, encodeNibbles, signsOf } from "./nibble-matrix.ts";
import { createPagePlaces } from "./page-places.ts";
import type { RowInMemory } from "./rows-in-memory.ts";
import { createSignSketches, type SignSketches } from "./sign-sketches.ts";
import type { CodedVector, VectorMatrix } from "./vector-matrix.ts";

/**
 * All rows that a workspace has in one version of a table: their first vectors, and by the places of these what a search needs
 * of each. Their names and addresses take a tenth of what the vectors do. A row keeps its place as long as it is there.
 */
export interface ResidentRows {
  readonly version: number;
  readonly dimensions: number;
  readonly count: number;
  /** How vectors are kept, for which it counts how many there were to be at first. */
  readonly isOfBytes: boolean;
  /** Of the vectors, with the room for more. */
  readonly bytes: number;
  pageAt(place: number): PageKey;
  /** How many rows datasets that are wanted have: to ask the table takes half a millisecond of each question. */
  countOf(isWanted: (datasetId: DatasetId) => boolean): number;
  addressAt(place: number): bigint;
  /** Undefined: the workspace has no such row in the version. */
  placeOf(page: PageKey): number | undefined;
  /** Whether codes are of a page with the row's first vector, which they hold, too. */
  areCodesOf(place: number, codes: Uint8Array): boolean;
  /** Of rows that are as many, codes are the same. */
  firstAt(place: number): CodedVector;
  /** Of rows of datasets that are wanted. */
  nearestTo(question: Float32Array, isWanted?: (datasetId: DatasetId) => boolean): NearestPlaces;
  /** By place, where the codes of rows have been found. */
  readonly codes: (RowInMemory<PageCodes> | undefined)[];
}

/** Gives the places of so many rows, or of all, the nearest first. */
export type NearestPlaces = (limit: number) => readonly number[];

/** Rows that are being read, or become those of another version. */
export interface GrowingRows extends ResidentRows {
  /** How many rows may be added. */
  readonly room: number;
  /** Of all places, also of rows that are gone. */
  readonly addresses: BigUint64Array;
  encode(first: Float32Array): CodedVector;
  push(page: PageKey, address: bigint, first: CodedVector): void;
  /** Adds a row of another version; `isAlike` those. */
  pushRowOf(other: ResidentRows, place: number): void;
  /** The rows at some places are gone, and the others where they are in a version. */
  become(version: number, moved: { readonly addresses: BigUint64Array; readonly gone: readonly number[] }): void;
}

interface Options {
  readonly version: number;
  readonly dimensions: number;
  /** How many rows there will be, for which room is made, and for some more. */
  readonly count: number;
}

/** Up to so many rows have a byte a dimension and are all compared; more have four bits, and those are compared whose signs are alike. */
const maxRowsOfBytes = 20_000;

const isOfBytes = (count: number): boolean => count <= maxRowsOfBytes;

/** Rows for which there is room where there are so many: those that come are added, until all are copied. */
const roomFor = (count: number): number => count + Math.ceil(count / 16) + 16;

/** Of the vectors of so many rows, with the room for more: a byte a dimension, or four bits and a sign. */
export const bytesOfRows = (count: number, dimensions: number): number =>
  isOfBytes(count) ? roomFor(count) * dimensions : (5 * roomFor(count) * dimensions) / 8;

/** Whether so many rows can take over vectors of the others as they are. */
export const isAlike = (count: number, other: ResidentRows): boolean => isOfBytes(count) === other.isOfBytes;

/** Vectors of rows, and which of them to compare. */
interface Layout {
  readonly matrix: VectorMatrix;
  readonly encode: (vector: Float32Array) => CodedVector;
  readonly areOf: (coded: CodedVector, known: ScaledBytes) => boolean;
  /** Undefined: all. */
  readonly sketches?: SignSketches;
}

function createLayout(dimensions: number, count: number, capacity: number): Layout | undefined {
  if (isOfBytes(count)) {
    const matrix = createByteMatrix(dimensions, capacity);
    return matrix && { matrix, encode: encodeFirst, areOf: areBytesOf };
  }
  const [matrix, sketches] = [createNibbleMatrix(dimensions, capacity), createSignSketches(dimensions, capacity)];
  return matrix && sketches && { matrix, encode: encodeNibbles, areOf: areNibblesOf, sketches };
}

/** Undefined of dimensions that cannot be compared so. */
export function createResidentRows({ dimensions, count, ...begun }: Options): GrowingRows | undefined {
  const capacity = roomFor(count);
  const layout = createLayout(dimensions, count, capacity);
  if (layout === undefined) return undefined;
  const { matrix, encode, areOf, sketches } = layout;
  const addresses = new BigUint64Array(capacity);
  const places = createPagePlaces();
  const codes: (RowInMemory<PageCodes> | undefined)[] = [];
  let { version } = begun;
  let goneCount = 0;
  /** Those that are there, where some are not. */
  let left: Uint32Array | undefined;
  const push = (
    page: PageKey,
    address: bigint,
    vector: CodedVector,
    known: RowInMemory<PageCodes> | undefined,
  ): void => {
    addresses[matrix.length] = address;
    matrix.push(vector);
    sketches?.push(signsOf(vector));
    places.push(page);
    codes.push(known);
    left = undefined;
  };
  const listLeft = (): Uint32Array | undefined => {
    if (goneCount > 0) left ??= places.placesOf(() => true);
    return left;
  };
  return {
    dimensions,
    isOfBytes: isOfBytes(count),
    bytes: bytesOfRows(count, dimensions),
    codes,
    encode,
    get version() {
      return version;
    },
    get count() {
      return matrix.length - goneCount;
    },
    get room() {
      return capacity - matrix.length;
    },
    get addresses() {
      return addresses.subarray(0, matrix.length);
    },
    push: (page, address, vector) => push(page, address, vector, undefined),
    pushRowOf: (other, place) =>
      push(other.pageAt(place), other.addressAt(place), other.firstAt(place), other.codes[place]),
    become(next, moved) {
      version = next;
      addresses.set(moved.addresses);
      for (const place of moved.gone) {
        if (!places.remove(place)) continue;
        goneCount += 1;
        codes[place] = undefined;
        left = undefined;
      }
    },
    pageAt: places.pageAt,
    placeOf: places.placeOf,
    countOf: places.countOf,
    addressAt: (place) => addresses[place] ?? 0n,
    areCodesOf: (place, held) =>
      countVectors(held, dimensions) !== undefined && areOf(matrix.valuesOf(place), firstIn(held, dimensions)),
    firstAt: matrix.valuesOf,
    nearestTo(question, isWanted) {
      const wanted = isWanted === undefined ? listLeft() : places.placesOf(isWanted);
      const nearestOf = (some: Uint32Array | undefined) => {
        const products = matrix.productsWith(question, some);
        return (limit: number) => largest(products, limit).map((at) => some?.[at] ?? at);
      };
      const least = leastCompared(matrix.length);
      if (sketches === undefined || (wanted?.length ?? matrix.length) <= least) return nearestOf(wanted);
      const likeness = sketches.likenessOf(question);
      return (limit) => nearestOf(mostAlike(likeness, least + limit * comparedPerWanted, wanted))(limit);
    },
  };
}

/**
 * Rows of the most alike signs that are compared by their codes: of 60,000 pages of real text 3,800, among which are all of the ten nearest to a
 * question and 0.997 of the 120 nearest. Those that it takes grow much more slowly than the rows.
 */
const leastCompared = (count: number): number => 2_500 + Math.ceil(count / 100);
const comparedPerWanted = 4;

/** The places of the largest, the largest first. */
function largest(products: Float32Array, limit: number): number[] {
  const least = largestAt(products, limit);
  const places: number[] = [];
  for (let place = 0; place < products.length; place++) if ((products[place] ?? -Infinity) >= least) places.push(place);
  return places.sort((one, other) => (products[other] ?? 0) - (products[one] ?? 0)).slice(0, limit);
}
