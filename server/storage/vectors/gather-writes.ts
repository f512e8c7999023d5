import type { Table as ArrowTable } from "apache-arrow";
import type { TableOf } from "../../domain/ports/index-tables.ts";
import type { SpacesOfPack } from "../../domain/ports/vector-store.ts";
import { loadLance } from "./lance.ts";

/** Maximum number of rows that are written together; some 20 MB of pages. */
const maxRows = 2_000;

/** Writes rows to the table of a workspace and pack, and returns the name of the table. */
type Write = (of: TableOf, pack: SpacesOfPack, rows: ArrowTable) => Promise<string>;

interface Waiting extends PromiseWithResolvers<string> {
  readonly pack: SpacesOfPack;
  readonly rows: ArrowTable;
}

/**
 * Gathers rows that come while a table is being written to, and writes them together, in the order in which they came.
 * A write of one row takes as long as one of a hundred, and each write creates a version and a file.
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
 * Takes the first entries off the queue, up to one that would make too many rows or replace a row of an earlier one.
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
