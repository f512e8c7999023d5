import type { Table } from "@lancedb/lancedb";
import type { Changes } from "./changes.ts";
import type { TableChanges } from "./table-changes.ts";
import type { TableLayout } from "./table-layout.ts";

/** So many may always be others: 50 ms. */
const alwaysFew = 1_000;

/** How many of so many rows may have come, or gone, before all are read again. */
export const fewOf = (rows: number): number => Math.max(alwaysFew, rows / 2);

interface Known {
  /** Undefined: the table does not tell what has changed since. */
  readonly layout: TableLayout | undefined;
  readonly rows: number;
}

/** What has changed since rows were read, where not more than `maxAdded` and than a few have come. */
export async function fewChanges(
  changes: TableChanges,
  table: Table,
  { layout, rows }: Known,
  maxAdded: number,
): Promise<Changes | undefined> {
  const since = layout && (await changes.since(table, layout));
  return since !== undefined && since.addedCount <= Math.min(maxAdded, fewOf(rows)) ? since : undefined;
}
