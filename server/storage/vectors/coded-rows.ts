import type { Table } from "apache-arrow";
import type { CodedRow, DenseRow, DenseSpace } from "../../domain/ports/vectors.ts";
import { countVectors, decodeVectors, encodeVectors } from "./codes.ts";
import { bytesColumn, float32, pageColumns, tableOf, vectorColumn } from "./columns.ts";
import type { Lance } from "./lance.ts";
import { schemaOf } from "./schema.ts";

/** The rows of a table of codes, one per page. Throws `TypeError` on vectors or codes that the space cannot have. */
export function codedTable(lance: Lance, space: DenseSpace, pages: readonly (DenseRow | CodedRow)[]): Table {
  const coded = pages.map((page) => asCoded(space, page));
  return tableOf(lance, schemaOf(lance, space), pages.length, [
    ...pageColumns(lance, coded),
    vectorColumn(
      lance,
      space,
      coded.map(({ first }) => first),
    ),
    bytesColumn(
      lance,
      coded.map(({ codes }) => codes),
    ),
  ]);
}

/** The rows with their vectors, for a table that keeps these. Throws `TypeError` on codes that the space cannot have. */
export function asDense(space: DenseSpace, page: DenseRow | CodedRow): DenseRow {
  if ("vectors" in page) return page;
  const { first, codes, ...row } = checked(space, page);
  return { ...row, vectors: vectorsOfCodes(first, codes) };
}

function asCoded(space: DenseSpace, page: DenseRow | CodedRow): CodedRow {
  if ("codes" in page) return checked(space, page);
  const { vectors, pooled: _, ...row } = page;
  return { ...row, ...codesOf(space, vectors) };
}

/** The vectors of a page as a coded space keeps them. Throws `TypeError` on vectors that the space cannot have. */
export function codesOf(space: DenseSpace, vectors: readonly Float32Array[]): Pick<CodedRow, "first" | "codes"> {
  for (const { length } of vectors) {
    if (length === space.dimensions) continue;
    throw new TypeError(`a vector of ${length} dimensions in the space ${space.name} of ${space.dimensions}`);
  }
  if (!vectors.every((vector) => vector.every(Number.isFinite))) {
    throw new TypeError(`a vector in the space ${space.name} with values out of range`);
  }
  return { first: vectors[0] ?? new Float32Array(), codes: encodeVectors(vectors) };
}

function checked({ name, dimensions }: DenseSpace, row: CodedRow): CodedRow {
  if (row.first.length === dimensions && countVectors(row.codes, dimensions) !== undefined) return row;
  throw new TypeError(`codes that are not of vectors of ${dimensions} dimensions in the space ${name}`);
}

/** The vectors of the first row, in the order they were put, the others with the error of their codes. */
export function codedVectorsIn(table: Table): Float32Array[] {
  const [first, codes] = [table.getChild("first")?.get(0)?.toArray(), table.getChild("codes")?.get(0)];
  return codes instanceof Uint8Array ? vectorsOfCodes(float32(first), codes) : [];
}

/** The first vector is kept beside the codes, with more of it. */
const vectorsOfCodes = (first: Float32Array, codes: Uint8Array): Float32Array[] => [
  first,
  ...decodeVectors(codes, first.length).slice(1),
];
