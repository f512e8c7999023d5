import { isDeepStrictEqual } from "node:util";
import type { Table } from "@lancedb/lancedb";
import type { Table as ArrowTable } from "apache-arrow";
import { retryConflicts, retryVanished } from "./conflicts.ts";
import { rowId, rowsFilter } from "./filters.ts";
import { storedRows } from "./rows.ts";

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
    const { version } = await retryConflicts(write);
    if (await isIncluded(version)) return;
  }
  throw new Error(`commit conflict: ${maxAttempts} writes were overtaken by versions without them`);
}

/** Adds rows, and replaces those with the same ids. */
export function mergeRows(table: Table, rows: ArrowTable): Promise<void> {
  return untilIncluded(
    () => table.mergeInsert("id").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows),
    // Where another process has written since, the numbers do not tell.
    async (version) => (await table.version()) === version || hasRows(table, rows),
  );
}

/** Rows that are read together; of late interaction some 50 MB. */
const rowsPerRead = 200;

/** Whether the table has the rows as they were written. */
async function hasRows(table: Table, written: ArrowTable): Promise<boolean> {
  const rows = storedRows(written);
  for (let from = 0; from < rows.length; from += rowsPerRead) {
    const some = rows.slice(from, from + rowsPerRead);
    const read = await retryVanished(() => table.query().where(rowsFilter(some)).toArrow());
    const found = new Map(storedRows(read).map((row) => [rowId(row), row]));
    if (!some.every((row) => isDeepStrictEqual(found.get(rowId(row)), row))) return false;
  }
  return true;
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
