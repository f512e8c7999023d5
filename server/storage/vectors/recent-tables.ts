import type { Table } from "@lancedb/lancedb";
import { isNoTable } from "./conflicts.ts";

/** Tables that look for a newer version when they are too old for a read, and not before each one. */
export interface RecentTables {
  /** The table with all that was written before `since`, by `performance.now`; undefined if there is none. */
  find(name: string, since: number): Promise<Table | undefined>;
}

interface Options {
  /** Gives a handle that stays at its version. */
  readonly open: (name: string) => Promise<Table>;
  /** Is called after every look, and does not throw. */
  readonly onLook: (table: Table) => void;
}

interface Handle {
  readonly table: Table;
  /** When the look began that found what the handle shows. */
  since: number;
  /** A look that is under way. */
  looking: Promise<void> | undefined;
}

/** Looks ahead come no closer to each other. */
const minAgeMs = 250;

/**
 * Who asks for a table again and again does not wait for looks: the next one begins when half of the age has passed that a read
 * accepts.
 */
export function createRecentTables({ open, onLook }: Options): RecentTables {
  const handles = new Map<string, Promise<Handle>>();

  function openOnce(name: string): Promise<Handle> {
    const known = handles.get(name);
    if (known !== undefined) return known;
    const since = performance.now();
    const handle = open(name).then((table): Handle => {
      onLook(table);
      return { table, since, looking: undefined };
    });
    handles.set(name, handle);
    handle.catch(() => handles.delete(name));
    return handle;
  }

  async function look(name: string, handle: Handle): Promise<void> {
    const since = performance.now();
    try {
      await handle.table.checkoutLatest();
      handle.since = since;
      onLook(handle.table);
    } catch (cause) {
      // Removed, say: the next read opens what is there then.
      handles.delete(name);
      throw cause;
    } finally {
      handle.looking = undefined;
    }
  }

  return {
    async find(name, since) {
      const asked = performance.now();
      try {
        const handle = await openOnce(name);
        while (handle.since < since) await (handle.looking ??= look(name, handle));
        const age = asked - handle.since;
        // Its failure is that of the next read, which looks again.
        if (age > minAgeMs && age > (asked - since) / 2) (handle.looking ??= look(name, handle)).catch(() => undefined);
        return handle.table;
      } catch (cause) {
        if (isNoTable(cause)) return undefined;
        throw cause;
      }
    },
  };
}
