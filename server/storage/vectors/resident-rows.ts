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
 * of each. Their names and addresses take a tenth of what the vectors do.
 */
export interface ResidentRows {
  readonly version: number;
  readonly dimensions: number;
  readonly count: number;
  /** Of the vectors. */
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

/** Rows that are being read. */
export interface GrowingRows extends ResidentRows {
  readonly isFull: boolean;
  push(page: PageKey, address: bigint, first: Float32Array): void;
  /** Adds a row of another version; `isAlike` those. */
  pushRowOf(other: ResidentRows, place: number): void;
}

interface Options {
  readonly version: number;
  readonly dimensions: number;
  /** How many rows there will be. */
  readonly count: number;
}

/** Up to so many rows have a byte a dimension and are all compared; more have four bits, and those are compared whose signs are alike. */
const maxRowsOfBytes = 20_000;

const isOfBytes = (count: number): boolean => count <= maxRowsOfBytes;

/** Of the vectors of so many rows: a byte a dimension, or four bits and a sign. */
export const bytesOfRows = (count: number, dimensions: number): number =>
  isOfBytes(count) ? count * dimensions : (5 * count * dimensions) / 8;

/** Whether so many rows can take over vectors of the others as they are. */
export const isAlike = (count: number, other: ResidentRows): boolean => isOfBytes(count) === isOfBytes(other.count);

/** Vectors of rows, and which of them to compare. */
interface Layout {
  readonly matrix: VectorMatrix;
  readonly encode: (vector: Float32Array) => CodedVector;
  readonly areOf: (coded: CodedVector, known: ScaledBytes) => boolean;
  /** Undefined: all. */
  readonly sketches?: SignSketches;
}

function createLayout(dimensions: number, count: number): Layout | undefined {
  if (isOfBytes(count)) {
    const matrix = createByteMatrix(dimensions, count);
    return matrix && { matrix, encode: encodeFirst, areOf: areBytesOf };
  }
  const [matrix, sketches] = [createNibbleMatrix(dimensions, count), createSignSketches(dimensions, count)];
  return matrix && sketches && { matrix, encode: encodeNibbles, areOf: areNibblesOf, sketches };
}

/** Undefined of dimensions that cannot be compared so. */
export function createResidentRows({ version, dimensions, count }: Options): GrowingRows | undefined {
  const layout = createLayout(dimensions, count);
  if (layout === undefined) return undefined;
  const { matrix, encode, areOf, sketches } = layout;
  const addresses = new BigUint64Array(count);
  const places = createPagePlaces();
  const codes: (RowInMemory<PageCodes> | undefined)[] = [];
  const push = (page: PageKey, address: bigint, first: CodedVector): void => {
    addresses[matrix.length] = address;
    matrix.push(first);
    sketches?.push(signsOf(first));
    places.push(page);
  };
  return {
    version,
    dimensions,
    count,
    bytes: bytesOfRows(count, dimensions),
    codes,
    get isFull() {
      return matrix.length === count;
    },
    push(page, address, first) {
      push(page, address, encode(first));
      codes.push(undefined);
    },
    pushRowOf(other, place) {
      push(other.pageAt(place), other.addressAt(place), other.firstAt(place));
      codes.push(other.codes[place]);
    },
    pageAt: places.pageAt,
    placeOf: places.placeOf,
    countOf: places.countOf,
    addressAt: (place) => addresses[place] ?? 0n,
    areCodesOf: (place, held) =>
      countVectors(held, dimensions) !== undefined && areOf(matrix.valuesOf(place), firstIn(held, dimensions)),
    firstAt: matrix.valuesOf,
    nearestTo(question, isWanted) {
      const wanted = isWanted && places.placesOf(isWanted);
      const nearestOf = (some: Uint32Array | undefined) => {
        const products = matrix.productsWith(question, some);
        return (limit: number) => largest(products, limit).map((at) => some?.[at] ?? at);
      };
      if (sketches === undefined || (wanted?.length ?? count) <= leastCompared(count)) return nearestOf(wanted);
      const likeness = sketches.likenessOf(question);
      return (limit) => {
        const compared = leastCompared(count) + limit * comparedPerWanted;
        return nearestOf(mostAlike(likeness, compared, wanted))(limit);
      };
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
