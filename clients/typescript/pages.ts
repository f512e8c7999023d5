/** One page of a list. */
export interface Page<Entry> {
  /** Number of matching entries in total. */
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  readonly data: readonly Entry[];
}

/** Selects a part of a list. */
export interface PageQuery {
  /** Number of matching entries to skip; default 0. */
  readonly offset?: number | undefined;
  /** Number of entries to return, 1 to 100; default 10. */
  readonly limit?: number | undefined;
}

export interface ListQuery {
  /** Number of matching entries to skip; default 0. */
  readonly offset?: number | undefined;
  /** Maximum number of entries to yield; default: all. */
  readonly limit?: number | undefined;
}

/** The service's default page size. */
export const defaultLimit = 10;
/** The service's maximum page size. */
const largestPage = 100;

/**
 * Yields the entries of a list; each page is fetched when its first entry is needed. If entries are added or removed
 * meanwhile, some can be missed or seen twice, because pages are counted from the start of the list.
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
