import type { DatasetId } from "../../domain/ids.ts";
import type { DenseRow, DenseSpace, LexicalRow, LexicalSpace, SpaceRef } from "../../domain/ports/vectors.ts";
import type { Table } from "@lancedb/lancedb";
import type { Table as ArrowTable } from "apache-arrow";
import { retryConflicts } from "./conflicts.ts";
import { pageFilter, stalePartsFilter } from "./filters.ts";
import { loadLance } from "./lance.ts";
import { denseTable, lexicalTable } from "./rows.ts";
import type { Tables } from "./tables.ts";

/** Pages per commit: few commits keep the table whole, and this many vectors are some megabytes. */
const pagesPerCommit = 1000;

interface PageKey {
  readonly datasetId: DatasetId;
  readonly page: number;
}

export async function putDense(tables: Tables, space: DenseSpace, rows: readonly DenseRow[]): Promise<void> {
  const lance = await loadLance();
  await putPages(tables, space, rows, {
    parts: ({ vectors }) => vectors.length,
    toArrow: (pages) => denseTable(lance, space, pages),
    stale: (datasetId, pages, parts) => stalePartsFilter(datasetId, pages, parts),
  });
}

export async function putLexical(tables: Tables, space: LexicalSpace, rows: readonly LexicalRow[]): Promise<void> {
  const lance = await loadLance();
  await putPages(tables, space, rows, {
    // Without words a page has no row: it can match nothing, and would only shift the ranking of the others.
    parts: ({ words }) => (words.trim() === "" ? 0 : 1),
    toArrow: (pages) => lexicalTable(lance, space, pages),
    stale: (datasetId, pages, parts) => (parts === 0 ? `(${pageFilter(datasetId, pages)})` : undefined),
  });
}

interface Layout<Row> {
  /** How many rows of the table the page has. */
  parts(row: Row): number;
  toArrow(rows: readonly Row[]): ArrowTable;
  /** What an earlier, longer writing of the pages may have left behind; undefined if nothing can be. */
  stale(datasetId: DatasetId, pages: readonly number[], parts: number): string | undefined;
}

async function putPages<Row extends PageKey>(
  tables: Tables,
  space: SpaceRef,
  rows: readonly Row[],
  layout: Layout<Row>,
): Promise<void> {
  if (rows.length === 0) return;
  const table = await tables.findOrCreate(space);
  const pages = [...new Map(rows.map((row) => [`${row.datasetId}/${row.page}`, row])).values()];
  for (let from = 0; from < pages.length; from += pagesPerCommit) {
    const batch = pages.slice(from, from + pagesPerCommit);
    const replaced = await merge(table, batch, layout);
    await removeStale(
      table,
      // A page that was there before had its first part, so that the merge has replaced that one.
      replaced ? batch : batch.filter((row) => layout.parts(row) === 0),
      layout,
    );
  }
}

/** Inserts the rows, replacing those with the same id. True if there were such. */
async function merge<Row>(table: Table, pages: readonly Row[], layout: Layout<Row>): Promise<boolean> {
  const filled = pages.filter((row) => layout.parts(row) > 0);
  if (filled.length === 0) return false;
  const { numUpdatedRows } = await retryConflicts(() =>
    table.mergeInsert("id").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(layout.toArrow(filled)),
  );
  return numUpdatedRows > 0;
}

async function removeStale<Row extends PageKey>(
  table: Table,
  rows: readonly Row[],
  layout: Layout<Row>,
): Promise<void> {
  const groups = Map.groupBy(rows, (row) => `${row.datasetId} ${layout.parts(row)}`);
  for (const group of groups.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const pages = group.map(({ page }) => page);
    const stale = layout.stale(first.datasetId, pages, layout.parts(first));
    if (stale === undefined || (await table.countRows(stale)) === 0) continue;
    await retryConflicts(() => table.delete(stale));
  }
}
