import { isDeepStrictEqual } from "node:util";
import type { Table } from "@lancedb/lancedb";
import type { Table as ArrowTable } from "apache-arrow";
import type { WorkspaceId } from "../../domain/ids.ts";
import type { SpacesOfPack } from "../../domain/ports/vector-store.ts";
import type { StoredRow } from "../../domain/ports/vectors.ts";
import { retryWrite } from "./failures.ts";
import { rowIdIn, rowsFilter } from "./filters.ts";
import { rowsIn, spacesOf } from "./layout.ts";

/*
 * LanceDB makes a version of a table by writing its manifest where none of that number is. A process that stands still just
 * before (it is stopped, its machine sleeps or is overloaded) may go on after others have made that version and newer ones, and
 * maintenance has removed it again. Then its write succeeds, as a version before the newest, which nobody will ever read:
 * github.com/lance-format/lance/issues/3718. How long it has stood still no clock tells for sure, so each write looks.
 */

/** One attempt that is lost takes a process that stands still for seconds at one moment; several are another defect. */
const maxAttempts = 4;

/** Repeats a write until the newest version of its table has it. `isIncluded` is given the version that it has made. */
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
 * Adds rows, and replaces those with the same ids. All ids of the table are read, 0.1 s among 100,000: by its index LanceDB takes ten
 * times as long where a hundred files are not in that yet, which is so between two rounds of maintenance.
 */
export function mergeRows(table: Table, rows: ArrowTable, written: Written): Promise<void> {
  return untilIncluded(
    () => table.mergeInsert("id").useIndex(false).whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows),
    // Where another process has written since, the numbers do not tell.
    async (version) => (await table.version()) === version || hasRows(table, rows, written),
  );
}

/** Whether the table has the rows as they were written. */
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
 * Removes the rows that a filter finds. Those of files that others have folded into another one stay where the version that did it
 * has been removed before LanceDB could see it, also if the delete makes the newest version.
 */
export async function removeRows(table: Table, filter: string): Promise<void> {
  const isGone = async (): Promise<boolean> => (await table.countRows(filter)) === 0;
  // A delete that hits nothing would still make a version.
  if (!(await isGone())) await untilIncluded(() => table.delete(filter), isGone);
}
