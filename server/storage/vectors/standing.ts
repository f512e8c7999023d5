import type { Table } from "@lancedb/lancedb";
import type { WorkspaceId } from "../../domain/ids.ts";
import { scopeFilter } from "./filters.ts";

/** What is known of a table whose handle stays at a version. */
interface Standing {
  readonly version: number;
  rows?: Promise<number>;
  /** The workspace that was counted last, and its rows. */
  counted?: { readonly workspaceId: WorkspaceId; readonly rows: Promise<number> };
  /** Has rows of several workspaces. */
  isShared?: boolean;
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

/**
 * Asks a table about the rows of a workspace: without a condition where it has no others, which takes a fifth less. `ask` is called
 * again, with the condition, if the table has moved to another version meanwhile.
 */
export async function askOfWorkspace<Result>(
  table: Table,
  workspaceId: WorkspaceId,
  ask: (isOnly: boolean) => Promise<Result>,
): Promise<Result> {
  const standing = known.get(table);
  if (standing === undefined || !(await isOnly(table, standing, workspaceId))) return ask(false);
  const result = await ask(true);
  return known.get(table) === standing ? result : ask(false);
}

async function isOnly(table: Table, standing: Standing, workspaceId: WorkspaceId): Promise<boolean> {
  if (standing.isShared === true) return false;
  if (standing.counted?.workspaceId !== workspaceId) {
    const rows = table.countRows(scopeFilter({ workspaceId, datasetIds: undefined, limit: 1 }));
    standing.counted = { workspaceId, rows };
    rows.catch(() => delete standing.counted);
  }
  const [all, own] = await Promise.all([countOnce(table, standing), standing.counted.rows]);
  if (own > 0 && own < all) standing.isShared = true;
  return all === own && known.get(table) === standing;
}
