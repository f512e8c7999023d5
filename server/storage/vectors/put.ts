import type {
  CodedRow,
  DenseRow,
  DenseSpace,
  LexicalRow,
  LexicalSpace,
  PageKey,
  TermsRow,
} from "../../domain/ports/vectors.ts";
import type { Table } from "@lancedb/lancedb";
import type { Table as ArrowTable } from "apache-arrow";
import { rowId, rowsFilter } from "./filters.ts";
import { mergeRows, removeRows } from "./included.ts";
import { loadLance } from "./lance.ts";
import { denseTable, lexicalTable, termsTable } from "./rows.ts";
import { asKept } from "./schema.ts";
import type { Tables } from "./tables.ts";

/** Pages per commit, at most: few commits keep the table whole. */
const pagesPerCommit = 1000;
/** Values of vectors per commit, at most, but for a page that has more: 32 MB, and several times that while it is written. */
const valuesPerCommit = 2 ** 24;

export async function putDense(
  tables: Tables,
  space: DenseSpace,
  rows: readonly (DenseRow | CodedRow)[],
): Promise<void> {
  if (rows.length === 0) return;
  const lance = await loadLance();
  const table = await tables.findOrCreate(space);
  const kept = await asKept(table, space);
  await putPages(table, rows, {
    values: (row) => valuesOf(space, row),
    toArrow: (pages) => denseTable(lance, kept, pages),
  });
}

function valuesOf({ dimensions }: DenseSpace, row: DenseRow | CodedRow): number {
  if ("codes" in row) return dimensions + row.codes.length;
  const { vectors, pooled = [] } = row;
  return vectors.length === 0 ? 0 : (vectors.length + pooled.length) * dimensions;
}

export async function putLexical(tables: Tables, space: LexicalSpace, rows: readonly LexicalRow[]): Promise<void> {
  if (rows.length === 0) return;
  const lance = await loadLance();
  await putPages(await tables.findOrCreate(space), rows, {
    // Without words a page has no row: it can match nothing, and would only shift the ranking of the others.
    values: ({ words }) => (words.trim() === "" ? 0 : 1),
    toArrow: (pages) => lexicalTable(lance, space, pages),
  });
}

/** The same with words that have become terms. */
export async function putTerms(tables: Tables, space: LexicalSpace, rows: readonly TermsRow[]): Promise<void> {
  if (rows.length === 0) return;
  const lance = await loadLance();
  await putPages(await tables.findOrCreate(space), rows, {
    values: ({ terms }) => (terms === "" ? 0 : 1),
    toArrow: (pages) => termsTable(lance, space, pages),
  });
}

interface Layout<Row> {
  /** How much the page's row holds; a page that has nothing has no row. */
  values(row: Row): number;
  toArrow(rows: readonly Row[]): ArrowTable;
}

async function putPages<Row extends PageKey>(table: Table, rows: readonly Row[], layout: Layout<Row>): Promise<void> {
  const pages = [...new Map(rows.map((row) => [rowId(row), row])).values()];
  for (const batch of batchesOf(pages, layout)) {
    await mergeRows(table, layout.toArrow(batch));
  }
  const empty = pages.filter((row) => layout.values(row) === 0);
  if (empty.length > 0) await removeRows(table, rowsFilter(empty));
}

/** The pages that have something, in portions for one commit each. */
function* batchesOf<Row>(pages: readonly Row[], { values }: Layout<Row>): Generator<readonly Row[]> {
  let batch: Row[] = [];
  let held = 0;
  for (const page of pages) {
    const more = values(page);
    if (more === 0) continue;
    if (batch.length === pagesPerCommit || (batch.length > 0 && held + more > valuesPerCommit)) {
      yield batch;
      [batch, held] = [[], 0];
    }
    batch.push(page);
    held += more;
  }
  if (batch.length > 0) yield batch;
}
