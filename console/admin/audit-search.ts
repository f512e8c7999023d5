import type { AuditEvent, Page } from "@drs/client";

/** Which events of the log are wanted; what is left out does not matter. */
export interface AuditSearch {
  /** As the log says it: `member mem_…`, `key key_…` or `service`. */
  readonly actor?: string | undefined;
  /** Milliseconds since the epoch; from this on. */
  readonly from?: number | undefined;
  /** Before this. */
  readonly until?: number | undefined;
}

export interface FoundEvents {
  readonly events: readonly AuditEvent[];
  /** Where to go on; undefined: there are no older ones. */
  readonly next: number | undefined;
}

type ReadPage = (query: { readonly offset: number; readonly limit: number }) => Promise<Page<AuditEvent>>;

/** What the service gives out at once. */
const pageLimit = 100;
/** So many events are enough to look at, and so many pages are read for them at a time. */
const [wantedEvents, maxPages] = [50, 20];

/**
 * Reads the log from `offset` on, newest first, until there is enough to look at, it gets older than wanted, or many have been looked
 * at in vain: the service itself tells only kinds of acts apart.
 */
export async function findEvents(
  readPage: ReadPage,
  { actor, from, until }: AuditSearch,
  offset: number,
): Promise<FoundEvents> {
  const events: AuditEvent[] = [];
  let at = offset;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const { data, total } = await readPage({ offset: at, limit: pageLimit });
    for (const event of data) {
      if (from !== undefined && event.at < from) return { events, next: undefined };
      at += 1;
      const isWanted = (actor === undefined || event.actor === actor) && (until === undefined || event.at < until);
      if (isWanted) events.push(event);
      if (events.length === wantedEvents) return { events, next: at < total ? at : undefined };
    }
    if (data.length === 0 || at >= total) return { events, next: undefined };
  }
  return { events, next: at };
}
