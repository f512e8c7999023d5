import { isDeepStrictEqual } from "node:util";
import type { Table } from "@lancedb/lancedb";
import type { Table as ArrowTable } from "apache-arrow";
import type { WorkspaceId } from "../../domain/ids.ts";
import type { SpacesOfPack } from "../../domain/ports/vector-store.ts";
import type { StoredRow } from "../../domain/ports/vectors.ts";
import { retryWrite } from "./failures.ts";
import { rowIdIn, rowsFilter } from "./filters.ts";
import { rowsIn, spacesOf } from "./layout.ts";

/**
 * LanceDB creates a version of a table by writing its manifest if there is none with that number. A process that is
 * suspended just before (it is stopped, or its machine sleeps or is overloaded) may resume after others have created
 * that version and newer ones, and maintenance has removed it again. Then its write succeeds as a version before the
 * newest, which nobody will ever read: github.com/lance-format/lance/issues/3718. No clock tells for sure how long the
 * process was suspended, so each write checks.
 */

/**
 * One lost attempt takes a process that is suspended for seconds at the wrong moment; several indicate another defect.
 */
const maxAttempts = 4;

/**
 * Repeats a write until the newest version of its table includes it. `isIncluded` gets the version that the write
 * created.
 */
async function untilIncluded(
  write: () => Promise<{ readonly version: number }>,
  isIncluded: (version: number) => Promise<boolean>,
): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const { version } = await retryWrite(write);
    if (await isIncluded(version)) return;
  }
  throw new Error(`${maxAttempts} writes to the index were overtaken by versions without them`);
}

interface Written {
  readonly pack: SpacesOfPack;
  readonly workspaceId: WorkspaceId;
}

/**
 * Adds rows, and replaces those with the same ids. It reads all ids of the table, 0.1 s for 100,000. With its index
 * LanceDB takes ten times as long if a hundred files are not in the index yet, as between two rounds of maintenance.
 */
export function mergeRows(table: Table, rows: ArrowTable, written: Written): Promise<void> {
  return untilIncluded(
    () => table.mergeInsert("id").useIndex(false).whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows),
    // If another process has written since, the version numbers do not tell.
    async (version) => (await table.version()) === version || hasRows(table, rows, written),
  );
}

/** Whether the table has the rows that were written. */
async function hasRows(table: Table, rows: ArrowTable, { pack, workspaceId }: Written): Promise<boolean> {
  const ids = Array.from(rows.getChild("id") ?? [], String);
  const found = await table.query().where(rowsFilter(ids)).toArrow();
  return spacesOf(pack).every((space) => {
    const byId = (some: ArrowTable): Map<string, StoredRow> =>
      new Map(rowsIn(some, space, workspaceId).map((row) => [rowIdIn(space)(row), row]));
    return isDeepStrictEqual(byId(found), byId(rows));
  });
}

/**
 * Removes the rows that a filter finds. Rows of files that another process has compacted stay if the version that did
 * so was removed before LanceDB could see it, even if the delete creates the newest version.
 */
export async function removeRows(table: Table, filter: string): Promise<void> {
  const isGone = async (): Promise<boolean> => (await table.countRows(filter)) === 0;
  // A delete that matches nothing would still create a version.
  if (!(await isGone())) await untilIncluded(() => table.delete(filter), isGone);
}
