import type { Table } from "@lancedb/lancedb";

/** What is known of a table whose handle stays at a version. */
interface Standing {
  readonly version: number;
  rows?: Promise<number>;
}

const known = new WeakMap<Table, Standing>();

/** Moves a handle that stays where it is otherwise to the newest version. */
export async function moveToLatest(table: Table): Promise<void> {
  const before = known.get(table);
  // While it moves it is not known where it is.
  known.delete(table);
  await table.checkoutLatest();
  const version = await table.version();
  known.set(table, before?.version === version ? before : { version });
}

/** Of a handle that has just been opened and will stay. */
export async function noteStanding(table: Table): Promise<void> {
  known.set(table, { version: await table.version() });
}

/** The version that a handle shows. A question needs it several times, and LanceDB takes some 50 µs of CPU to tell. */
export const versionOf = async (table: Table): Promise<number> => known.get(table)?.version ?? table.version();

/** All rows of the table in that version. */
export async function countRowsOf(table: Table): Promise<number> {
  const standing = known.get(table);
  return standing === undefined ? table.countRows() : countOnce(table, standing);
}

function countOnce(table: Table, standing: Standing): Promise<number> {
  if (standing.rows !== undefined) return standing.rows;
  const rows = table.countRows();
  standing.rows = rows;
  rows.catch(() => delete standing.rows);
  return rows;
}
