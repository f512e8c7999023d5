import type { Table } from "@lancedb/lancedb";
import { isNoTable } from "./conflicts.ts";
import { moveToLatest, noteStanding } from "./standing.ts";

/** Tables that look for a newer version when they are too old for a read, and not before each one. */
export interface RecentTables {
  /**
   * The table with all that was written before `since`, by `performance.now`, and where a glance tells versions apart with all
   * that was written before this call; undefined if there is none.
   */
  find(name: string, since: number): Promise<Table | undefined>;
}

interface Options {
  /** As of the place of the tables. */
  readonly identify: (name: string) => string | undefined;
  readonly glance?: (name: string) => string | undefined;
  /** Gives a handle that stays at its version. */
  readonly open: (name: string) => Promise<Table>;
  /** Is called after every look, and does not throw. */
  readonly onLook: (table: Table) => void;
}

interface Handle {
  readonly table: Table;
  /** What the table's folder looked like before the look; undefined: it may look the same after the next write. */
  seen: string | undefined;
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
export function createRecentTables({ open, onLook, identify, glance }: Options): RecentTables {
  const handles = new Map<string, { readonly identity: string | undefined; readonly opening: Promise<Handle> }>();

  function openOnce(name: string): Promise<Handle> {
    const identity = identify(name);
    const known = handles.get(name);
    if (known !== undefined && known.identity === identity) return known.opening;
    const [since, seen] = [performance.now(), glance?.(name)];
    const opening = open(name).then(async (table): Promise<Handle> => {
      await noteStanding(table);
      onLook(table);
      return { table, seen, since, looking: undefined };
    });
    handles.set(name, { identity, opening });
    opening.catch(() => {
      if (handles.get(name)?.opening === opening) handles.delete(name);
    });
    return opening;
  }

  async function look(name: string, handle: Handle): Promise<void> {
    const [since, seen] = [performance.now(), glance?.(name)];
    try {
      await moveToLatest(handle.table);
      handle.since = since;
      handle.seen = seen;
      onLook(handle.table);
    } catch (cause) {
      // Removed, say: the next read opens what is there then.
      handles.delete(name);
      throw cause;
    } finally {
      handle.looking = undefined;
    }
  }

  function isAsSeen(name: string, { seen }: Handle): boolean {
    return seen !== undefined && seen === glance?.(name);
  }

  return {
    async find(name, since) {
      const asked = performance.now();
      try {
        const handle = await openOnce(name);
        const needed = glance === undefined ? since : isAsSeen(name, handle) ? -Infinity : asked;
        while (handle.since < needed) await (handle.looking ??= look(name, handle));
        if (glance !== undefined) return handle.table;
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
