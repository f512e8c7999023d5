import type { Table } from "@lancedb/lancedb";

interface Counted {
  readonly version: number;
  /** By whether they are of documents. */
  readonly rows: Map<boolean, Promise<number>>;
}

const counted = new WeakMap<Table, Counted>();

/** How many rows of pages, or of documents, the table has. Every question needs it: it is counted once in each version. */
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
