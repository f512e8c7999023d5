import type { CodedRow, DenseSpace } from "../../domain/ports/vectors.ts";
import { countVectors, decodeVectors, encodeVectors } from "./codes.ts";

type Coded = Pick<CodedRow, "first" | "codes">;

/** Encodes the vectors of a page for a coded space. Throws `TypeError` on vectors that the space cannot have. */
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

/** Throws `TypeError` on codes that the space cannot have. */
export function checkedCodes({ name, dimensions }: DenseSpace, row: Coded): Coded {
  if (row.first.length === dimensions && countVectors(row.codes, dimensions) !== undefined) return row;
  throw new TypeError(`codes that are not of vectors of ${dimensions} dimensions in the space ${name}`);
}

/** The first vector is stored next to the codes with higher precision; the others have the error of their codes. */
export const vectorsOfCodes = ({ first, codes }: Coded): Float32Array[] => [
  first,
  ...decodeVectors(codes, first.length).slice(1),
];
