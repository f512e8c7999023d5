import type { DatasetId } from "../../domain/ids.ts";
import type { PageKey } from "../../domain/ports/vectors.ts";
import { createByteMatrix, type ScaledBytes } from "./byte-matrix.ts";
import { encodeFirst } from "./codes.ts";
import { largestAt } from "./largest-at.ts";
import { createPagePlaces } from "./page-places.ts";
import type { RowInMemory } from "./rows-in-memory.ts";

/**
 * All rows that a workspace has in one version of a table: their first vectors, and by the places of these what a search needs
 * of each. Their names and addresses take a tenth of what the vectors do.
 */
export interface ResidentRows {
  readonly version: number;
  readonly count: number;
  /** Of the vectors. */
  readonly bytes: number;
  pageAt(place: number): PageKey;
  addressAt(place: number): bigint;
  /** Undefined: the workspace has no such row in the version. */
  placeOf(page: PageKey): number | undefined;
  firstAt(place: number): ScaledBytes;
  /** Of rows of datasets that are wanted. */
  nearestTo(question: Float32Array, isWanted?: (datasetId: DatasetId) => boolean): NearestPlaces;
  /** By place, where the codes of rows have been found. */
  readonly codes: (RowInMemory<Uint8Array> | undefined)[];
}

/** Gives the places of so many rows, or of all, the nearest first. */
export type NearestPlaces = (limit: number) => readonly number[];

/** Rows that are being read. */
export interface GrowingRows extends ResidentRows {
  readonly isFull: boolean;
  /** No two have one address. */
  isEachOnce(): boolean;
  push(page: PageKey, address: bigint, first: Float32Array): void;
  /** Adds a row of another version. */
  pushRowOf(other: ResidentRows, place: number): void;
}

interface Options {
  readonly version: number;
  readonly dimensions: number;
  /** How many rows there will be. */
  readonly count: number;
}

/** Undefined of dimensions that cannot be compared so. */
export function createResidentRows({ version, dimensions, count }: Options): GrowingRows | undefined {
  const matrix = createByteMatrix(dimensions, count);
  if (matrix === undefined) return undefined;
  const addresses = new BigUint64Array(count);
  const places = createPagePlaces();
  const codes: (RowInMemory<Uint8Array> | undefined)[] = [];
  const push = (page: PageKey, address: bigint, { values, scale }: ScaledBytes): void => {
    addresses[matrix.length] = address;
    matrix.push(values, scale);
    places.push(page);
  };
  return {
    version,
    count,
    bytes: count * dimensions,
    codes,
    get isFull() {
      return matrix.length === count;
    },
    isEachOnce: () => new Set(addresses.subarray(0, matrix.length)).size === matrix.length,
    push(page, address, first) {
      push(page, address, encodeFirst(first));
      codes.push(undefined);
    },
    pushRowOf(other, place) {
      push(other.pageAt(place), other.addressAt(place), other.firstAt(place));
      codes.push(other.codes[place]);
    },
    pageAt: places.pageAt,
    placeOf: places.placeOf,
    addressAt: (place) => addresses[place] ?? 0n,
    firstAt: matrix.valuesOf,
    nearestTo(question, isWanted) {
      const products = matrix.productsWith(new Float64Array(question));
      if (isWanted !== undefined) leaveOut(products, (place) => !isWanted(places.pageAt(place).datasetId));
      return (limit) => largestPlaces(products, limit);
    },
  };
}

function leaveOut(products: Float32Array, isLeftOut: (place: number) => boolean): void {
  for (let place = 0; place < products.length; place++) if (isLeftOut(place)) products[place] = -Infinity;
}

function largestPlaces(products: Float32Array, limit: number): readonly number[] {
  const least = largestAt(products, limit);
  const places: number[] = [];
  for (let place = 0; place < products.length; place++) {
    const product = products[place] ?? -Infinity;
    if (product >= least && product > -Infinity) places.push(place);
  }
  return places.sort((one, other) => (products[other] ?? 0) - (products[one] ?? 0)).slice(0, limit);
}
