/** One page of a list. */
export interface Page<Entry> {
  /** How many entries match in all. */
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  readonly data: readonly Entry[];
}

/** Which part of a list is wanted. */
export interface PageQuery {
  /** How many matching entries to pass over; default 0. */
  readonly offset?: number | undefined;
  /** How many entries to return, 1 to 100; default 10. */
  readonly limit?: number | undefined;
}

export interface ListQuery {
  /** How many matching entries to pass over; default 0. */
  readonly offset?: number | undefined;
  /** How many entries to yield at most; default: all. */
  readonly limit?: number | undefined;
}

/** The page size that the service takes when none is asked for. */
export const defaultLimit = 10;
/** The largest page that the service serves. */
const largestPage = 100;

/**
 * The entries of a list, one after another; a page is fetched when its first entry is asked for. Entries that come or
 * go meanwhile can be missed or seen twice, because pages are counted from the start of the list.
 */
export async function* entriesOf<Entry>(
  { offset = 0, limit = Number.POSITIVE_INFINITY }: ListQuery,
  fetchPage: (query: PageQuery) => Promise<Page<Entry>>,
): AsyncGenerator<Entry, void, undefined> {
  let left = limit;
  let at = offset;
  while (left > 0) {
    const page = await fetchPage({ offset: at, limit: Math.min(largestPage, left) });
    yield* page.data;
    at += page.data.length;
    left -= page.data.length;
    if (page.data.length === 0 || at >= page.total) return;
  }
}
