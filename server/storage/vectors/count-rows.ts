import type { Table } from "@lancedb/lancedb";

interface RowCounts {
  readonly version: number;
  /** Counts by whether the rows are of documents. */
  readonly rows: Map<boolean, Promise<number>>;
}

const counted = new WeakMap<Table, RowCounts>();

/**
 * The number of rows of pages, or of documents, in the table. Every query needs it, so it is counted once per version.
 */
export async function countRows(table: Table, ofDocuments: boolean): Promise<number> {
  const version = await table.version();
  let known = counted.get(table);
  if (known?.version !== version) counted.set(table, (known = { version, rows: new Map() }));
  const { rows } = known;
  const count = rows.get(ofDocuments) ?? table.countRows(`isDocument = ${ofDocuments}`);
  rows.set(ofDocuments, count);
  count.catch(() => rows.delete(ofDocuments));
  return count;
}
