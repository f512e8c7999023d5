/** The number of items of a list that have the same time. */
export interface TimeCount {
  readonly time: number;
  readonly items: number;
}

/** Counts items by their times, in the order of the times: at most `count` times, starting behind `after`. */
export type TimeSource = (query: {
  readonly after: number | undefined;
  readonly descending: boolean;
  readonly count: number;
}) => Promise<readonly TimeCount[]>;

/** The times between which the items of a slice were created. */
export interface Window {
  readonly from: number;
  readonly to: number;
  /** Items of the window that come before the slice. */
  readonly skipped: number;
}

interface ListSlice {
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  /** Newest first. */
  readonly descending: boolean;
}

/**
 * Number of times in the first query to a source, and the factor for each following query. Some hundred pages, saved
 * together, share a time.
 */
const firstTimes = 64;
const growth = 2;

/**
 * Locates a slice of a list by age from sources that are themselves ordered by age. Items are counted from the nearer
 * end of the list, and no further than the slice.
 */
export async function findWindow(
  sources: readonly TimeSource[],
  { total, offset, limit, descending }: ListSlice,
): Promise<Window> {
  const taken = Math.min(limit, total - offset);
  const behind = total - offset - taken;
  const fromEnd = behind < offset;
  const counted = await countUpTo(sources, (fromEnd ? behind : offset) + taken, descending !== fromEnd);
  let skipped = fromEnd ? behind : offset;
  let first = 0;
  while (first < counted.length - 1 && skipped >= (counted[first]?.items ?? 0)) {
    skipped -= counted[first]?.items ?? 0;
    first += 1;
  }
  const within = counted.slice(first);
  const times = within.map(({ time }) => time);
  const inWindow = within.reduce((sum, { items }) => sum + items, 0);
  return {
    from: Math.min(...times),
    to: Math.max(...times),
    skipped: fromEnd ? Math.max(0, inWindow - skipped - taken) : skipped,
  };
}

/** Times with their items, until there are at least `wanted` items. */
async function countUpTo(
  sources: readonly TimeSource[],
  wanted: number,
  descending: boolean,
): Promise<readonly TimeCount[]> {
  const items = new Map<number, number>();
  const readers = sources.map((source): Reader => ({ source, last: undefined, count: firstTimes, isOver: false }));
  for (;;) {
    const open = readers.filter(({ isOver }) => !isOver);
    // The source that is furthest behind: nothing is known yet of times later than its last one.
    const [behind] = open.toSorted((one, other) => placeOf(one, descending) - placeOf(other, descending));
    if (behind !== undefined) await readMore(behind, items, descending);
    const bound = Math.min(...readers.map((reader) => (reader.isOver ? Infinity : placeOf(reader, descending))));
    const counted = upTo(wanted, items, { bound, descending });
    if (counted.isEnough || behind === undefined) return counted.times;
  }
}

interface Reader {
  readonly source: TimeSource;
  last: number | undefined;
  /** Number of times in the next query. */
  count: number;
  isOver: boolean;
}

/** Greater for times that come later in the list. */
const placeOf = ({ last }: Reader, descending: boolean): number =>
  last === undefined ? -Infinity : descending ? -last : last;

async function readMore(reader: Reader, items: Map<number, number>, descending: boolean): Promise<void> {
  const { source, last: after, count } = reader;
  const more = await source({ after, descending, count });
  for (const { time, items: some } of more) items.set(time, (items.get(time) ?? 0) + some);
  reader.last = more.at(-1)?.time ?? after;
  reader.count = count * growth;
  reader.isOver = more.length < count;
}

function upTo(
  wanted: number,
  items: ReadonlyMap<number, number>,
  { bound, descending }: { readonly bound: number; readonly descending: boolean },
): { readonly times: readonly TimeCount[]; readonly isEnough: boolean } {
  const sign = descending ? -1 : 1;
  const told = [...items].filter(([time]) => sign * time <= bound).toSorted(([one], [other]) => sign * (one - other));
  const times: TimeCount[] = [];
  let sum = 0;
  for (const [time, some] of told) {
    times.push({ time, items: some });
    sum += some;
    if (sum >= wanted) return { times, isEnough: true };
  }
  return { times, isEnough: false };
}

/** Items of some pages with bounds of their creation times. The bounds may be wider than necessary. */
export interface BoundedItems {
  readonly first: number;
  readonly last: number;
  readonly items: number;
}

interface Bounded<Pages extends BoundedItems> {
  /** The times between which the items of the slice were created. */
  readonly from: number;
  readonly to: number;
  /** Number of items that certainly come before that time. */
  readonly passed: number;
  /** Pages with items that may come before it. */
  readonly across: readonly Pages[];
}

interface BoundedSlice {
  readonly offset: number;
  /** Number of items of the slice; the list has as many. */
  readonly taken: number;
  /** Newest first. */
  readonly descending: boolean;
}

/** Locates a slice of a list by age as far as the bounds allow, without reading any item. */
export function boundSlice<Pages extends BoundedItems>(
  pages: readonly Pages[],
  { offset, taken, descending }: BoundedSlice,
): Bounded<Pages> {
  // Greater for times that come later in the list.
  const sign = descending ? -1 : 1;
  const placed = pages.map((each) => {
    const [begin, end] = descending ? [-each.last, -each.first] : [each.first, each.last];
    return { pages: each, begin, end };
  });
  const itemsOf = (some: readonly (typeof placed)[number][]): number =>
    some.reduce((sum, { pages: { items } }) => sum + items, 0);
  const byBegin = placed.toSorted((one, other) => one.begin - other.begin);
  let from = -Infinity;
  for (let at = 0, before = 0; at < byBegin.length && before <= offset;) {
    from = byBegin[at]?.begin ?? from;
    for (; byBegin[at]?.begin === from; at++) before += byBegin[at]?.pages.items ?? 0;
  }
  const byEnd = placed.toSorted((one, other) => one.end - other.end);
  let to = Infinity;
  for (let at = 0, within = 0; at < byEnd.length && within < offset + taken; at++) {
    to = byEnd[at]?.end ?? to;
    within += byEnd[at]?.pages.items ?? 0;
  }
  return {
    from: Math.min(sign * from, sign * to),
    to: Math.max(sign * from, sign * to),
    passed: itemsOf(placed.filter(({ end }) => end < from)),
    across: placed.filter(({ begin, end }) => begin < from && end >= from).map((each) => each.pages),
  };
}
