import { isDeepStrictEqual } from "node:util";
import type { Table } from "@lancedb/lancedb";
import type { Table as ArrowTable } from "apache-arrow";
import type { Clock } from "../../domain/clock.ts";
import type { WorkspaceId } from "../../domain/ids.ts";
import type { GarbageStore } from "../../domain/ports/garbage.ts";
import type { SpacesOfPack, VectorStore } from "../../domain/ports/vector-store.ts";
import type { StoredRow } from "../../domain/ports/vectors.ts";
import { retryWrite } from "./failures.ts";
import { datasetFilter, generationFilter, rowIdIn, rowsFilter } from "./filters.ts";
import { hasColumns, rowsIn, spacesOf, tableOfDocuments, tableOfPages } from "./layout.ts";
import type { IndexTables, TableOf } from "../../domain/ports/index-tables.ts";
import { loadLance } from "./lance.ts";
import { newTableName, type Tables } from "./tables.ts";
import type { Trust } from "./trust.ts";

/**
 * LanceDB creates a version of a table by writing a manifest, if no manifest has that version number. A process that is
 * suspended just before this (because it is stopped, or its machine sleeps or is overloaded) may resume after others
 * have created that version and newer ones, and maintenance has removed it again. Its write then succeeds as a version
 * older than the newest one, which nobody will ever read: github.com/lance-format/lance/issues/3718. No clock can tell
 * reliably how long the process was suspended, so each write is checked.
 */

/**
 * Maximum number of attempts. An attempt is lost only if the process is suspended for seconds at the wrong moment;
 * several lost attempts indicate another defect.
 */
const maxAttempts = 4;

/**
 * Repeats a write until the newest version of its table includes it. `isIncluded` receives the version that the write
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
 * Adds rows, and replaces those with the same ids. Reads all ids of the table, which takes 0.1 s for 100,000. With the
 * index of ids, LanceDB takes ten times as long if a hundred files are not indexed yet, as between two rounds of
 * maintenance.
 */
export function mergeRows(table: Table, rows: ArrowTable, written: Written): Promise<void> {
  return untilIncluded(
    () => table.mergeInsert("id").useIndex(false).whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows),
    // If another process has written in the meantime, the version numbers cannot show whether the rows are included.
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
 * Removes the rows that match a filter. If another process has compacted files and the version that did so was removed
 * before LanceDB could see it, rows of these files stay, even if the delete creates the newest version.
 */
async function removeRows(table: Table, filter: string): Promise<void> {
  const isGone = async (): Promise<boolean> => (await table.countRows(filter)) === 0;
  // A delete that matches nothing would still create a version.
  if (!(await isGone())) await untilIncluded(() => table.delete(filter), isGone);
}

/** Maximum number of rows per write; about 20 MB of pages. */
const maxRows = 2_000;

/** Writes rows to the table of a workspace and pack, and returns the name of the table. */
type Write = (of: TableOf, pack: SpacesOfPack, rows: ArrowTable) => Promise<string>;

interface Waiting extends PromiseWithResolvers<string> {
  readonly pack: SpacesOfPack;
  readonly rows: ArrowTable;
}

/**
 * Collects rows that arrive while a table is being written to, and writes them together, in the order of arrival. A
 * write of one row takes as long as a write of a hundred, and each write creates a version and a file.
 */
export function gatherWrites(write: Write): Write {
  const queues = new Map<string, Waiting[]>();

  async function writeSome(of: TableOf, some: readonly Waiting[]): Promise<void> {
    const [first, ...others] = some;
    if (first === undefined) return;
    try {
      const { arrow } = await loadLance();
      const rows = others.length === 0 ? first.rows : new arrow.Table(some.flatMap((one) => one.rows.batches));
      const name = await write(of, first.pack, rows);
      for (const { resolve } of some) resolve(name);
    } catch (cause) {
      for (const { reject } of some) reject(cause);
    }
  }

  async function writeAll(of: TableOf, key: string, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) await writeSome(of, takeSome(queue));
    queues.delete(key);
  }

  return (of, pack, rows) => {
    const waiting = { pack, rows, ...Promise.withResolvers<string>() };
    const key = `${of.workspaceId} ${of.pack}`;
    const queue = queues.get(key);
    if (queue !== undefined) queue.push(waiting);
    else {
      const begun = [waiting];
      queues.set(key, begun);
      void writeAll(of, key, begun);
    }
    return waiting.promise;
  };
}

/**
 * Takes entries from the front of the queue, up to the first one that would exceed the maximum number of rows or
 * replace a row of an earlier entry.
 */
function takeSome(queue: Waiting[]): readonly Waiting[] {
  const ids = new Set<string>();
  const end = queue.findIndex(({ rows }, at) => {
    const own = Array.from(rows.getChild("id") ?? [], String);
    if (at > 0 && (ids.size + own.length > maxRows || own.some((id) => ids.has(id)))) return true;
    for (const id of own) ids.add(id);
    return false;
  });
  return queue.splice(0, end === -1 ? queue.length : end);
}

interface WriterOptions {
  readonly trust: Trust;
  readonly catalog: IndexTables;
  readonly garbage: Pick<GarbageStore, "add">;
  readonly open: () => Promise<Tables>;
  /** Identifies the boot of the machine during which tables are written; empty if writes are durable at once. */
  readonly unsyncedIn: string;
  readonly clock: Clock;
}

/** Maximum time that it takes to create a table, ms. */
const madeWithinMs = 3_600_000;

/** Writes to the tables of workspaces, and creates those that are missing. */
export function createTableWriter({
  trust,
  catalog,
  garbage,
  open,
  unsyncedIn,
  clock,
}: WriterOptions): Pick<VectorStore, "put" | "putDocuments" | "remove"> {
  /** Runs `write` on the table, which is created if it does not exist, and returns the name of the table. */
  async function writing(of: TableOf, pack: SpacesOfPack, write: (table: Table) => Promise<void>): Promise<string> {
    for (;;) {
      const name = await trust.changing(of, async (trusted) => {
        if (trusted === undefined) return undefined;
        const { table, entry } = trusted;
        if (!(await hasColumns(table, pack))) {
          await catalog.discard(entry, clock());
          return undefined;
        }
        const noted = await catalog.noteWrite(of, unsyncedIn);
        if (noted?.name !== entry.name) return undefined;
        await write(table);
        await catalog.noteVersion(entry.name, await table.version());
        return entry.name;
      });
      if (name !== undefined) return name;
      if ((await catalog.find(of)) === undefined) await makeTable(of, pack);
    }
  }

  /**
   * Creates a table. It is on the garbage list until the workspace refers to it, so that an unfinished one is removed.
   */
  async function makeTable(of: TableOf, pack: SpacesOfPack): Promise<void> {
    const tables = await open();
    const name = newTableName();
    await garbage.add([{ kind: "table", key: name }], clock() + madeWithinMs);
    await tables.create(name, pack);
    const { name: taken } = await catalog.add({ ...of, name, unsyncedIn, version: 0 });
    if (taken !== name) await garbage.add([{ kind: "table", key: name }], clock());
  }

  /** Runs `write` on the table of existing rows, if there is one. */
  async function change(of: TableOf, write: (table: Table) => Promise<void>): Promise<void> {
    await trust.changing(of, async (trusted) => {
      if (trusted === undefined) return;
      const { table, entry } = trusted;
      const noted = await catalog.noteWrite(of, unsyncedIn);
      // A new table has no rows to change.
      if (noted?.name !== entry.name) return;
      await write(table);
      await catalog.noteVersion(entry.name, await table.version());
    });
  }

  const merge = gatherWrites((of, pack, rows) =>
    writing(of, pack, (table) => mergeRows(table, rows, { pack, workspaceId: of.workspaceId })),
  );

  return {
    async put(pack, features, index) {
      const lance = await loadLance();
      const rows = tableOfPages(lance, pack, features, index);
      return merge({ workspaceId: index.workspaceId, pack: pack.id }, pack, rows);
    },

    async putDocuments(pack, documents) {
      if (pack.reads === undefined) return;
      const lance = await loadLance();
      for (const [workspaceId, some] of Map.groupBy(documents, (row) => row.workspaceId)) {
        await merge({ workspaceId, pack: pack.id }, pack, tableOfDocuments(lance, pack, some));
      }
    },

    async remove({ datasetId, generation, ...of }) {
      const filter = generation === undefined ? datasetFilter(datasetId) : generationFilter(datasetId, generation);
      await change(of, (table) => removeRows(table, filter));
    },
  };
}
