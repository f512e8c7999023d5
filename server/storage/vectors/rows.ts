import type { Table, Vector } from "apache-arrow";
import { parseWorkspaceId } from "../../domain/ids.ts";
import type {
  CodedRow,
  DenseRow,
  DenseSpace,
  LexicalRow,
  LexicalSpace,
  PageHit,
  StoredRow,
  TermsRow,
} from "../../domain/ports/vectors.ts";
import { asDense, codedTable } from "./coded-rows.ts";
import { float32, pageColumns, tableOf, textColumn, vectorLists } from "./columns.ts";
import { parseRowId } from "./filters.ts";
import type { Lance } from "./lance.ts";
import { isCoded, schemaOf } from "./schema.ts";
import { pageTerms } from "../../ranking/terms/terms.ts";

/** The rows of a dense table, one per page. Throws `TypeError` on a vector that the space cannot have. */
export function denseTable(lance: Lance, space: DenseSpace, rows: readonly (DenseRow | CodedRow)[]): Table {
  if (isCoded(space)) return codedTable(lance, space, rows);
  const pages = rows.map((row) => asDense(space, row));
  const vectors = vectorLists(
    lance,
    space,
    pages.map((row) => row.vectors),
  );
  const pooled = pages.map((row) => (row.pooled?.length ? row.pooled : row.vectors.slice(0, 1)));
  return tableOf(lance, schemaOf(lance, space), pages.length, [
    ...pageColumns(lance, pages),
    ...(space.firstPass === "pooled" ? [vectorLists(lance, space, pooled)] : []),
    vectors,
  ]);
}

export const lexicalTable = (lance: Lance, space: LexicalSpace, pages: readonly LexicalRow[]): Table =>
  termsTable(
    lance,
    space,
    pages.map(({ words, ...page }) => ({ ...page, terms: pageTerms(words) })),
  );

export function termsTable(lance: Lance, space: LexicalSpace, pages: readonly TermsRow[]): Table {
  return tableOf(lance, schemaOf(lance, space), pages.length, [
    ...pageColumns(lance, pages),
    textColumn(
      lance,
      pages.map(({ terms }) => terms),
    ),
  ]);
}

/** The rows of a table that `denseTable` or `termsTable` has made. Throws `TypeError` on any other. */
export function storedRows(table: Table): StoredRow[] {
  const column = (name: string) => table.getChild(name);
  const [ids, workspaces] = [column("id"), column("workspaceId")];
  const [terms, vectors, pooled] = [column("terms"), column("vectors"), column("pooled")];
  const [first, codes] = [column("first"), column("codes")];
  return Array.from({ length: table.numRows }, (_, index): StoredRow => {
    const page = parseRowId(String(ids?.get(index)));
    const workspaceId = parseWorkspaceId(String(workspaces?.get(index)));
    if (page === undefined || workspaceId === undefined) throw new TypeError("a row that belongs to no page");
    const row = { ...page, workspaceId };
    if (terms !== null) return { ...row, terms: String(terms.get(index)) };
    if (codes !== null)
      return { ...row, first: float32(first?.get(index)?.toArray()), codes: bytesOf(codes.get(index)) };
    const dense = { ...row, vectors: vectorList(vectors?.get(index)) };
    return pooled === null ? dense : { ...dense, pooled: vectorList(pooled.get(index)) };
  });
}

/**
 * What a search found: rows of id, the column that ranks them, whose values become scores, and where it was
 * asked for a vector.
 */
export function hitsOf(
  table: Table,
  column: "_distance" | "_score",
  scoreOf: (rank: number) => number = (rank) => rank,
): PageHit[] {
  const ids = table.getChild("id");
  const ranks = table.getChild(column);
  const vectors = table.getChild("vector");
  const hits: PageHit[] = [];
  for (let index = 0; index < table.numRows; index++) {
    const row = parseRowId(String(ids?.get(index)));
    const score = scoreOf(Number(ranks?.get(index)));
    // The cosine of a vector of zeros is not a number: such a row is like nothing.
    if (row === undefined || !Number.isFinite(score)) continue;
    const hit = { ...row, score };
    hits.push(vectors === null ? hit : { ...hit, vector: float32(vectors.get(index)?.toArray()) });
  }
  return hits;
}

/** The vectors of the first row, in the order they were put; none without a row. */
export const vectorsIn = (table: Table): Float32Array[] =>
  vectorList(table.numRows === 0 ? undefined : table.getChild("vectors")?.get(0));

const vectorList = (list: Vector | null | undefined): Float32Array[] =>
  Array.from({ length: list?.length ?? 0 }, (_, index) => float32(list?.get(index)?.toArray()));

function bytesOf(value: unknown): Uint8Array {
  if (!(value instanceof Uint8Array)) throw new TypeError("a dense row without its codes");
  return value;
}
