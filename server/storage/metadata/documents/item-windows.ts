/** How many items of a list have a time. */
export interface TimeCount {
  readonly time: number;
  readonly items: number;
}

/** Counts items by their times, in the order of these: at most so many times, from behind one on. */
export type TimeSource = (query: {
  readonly after: number | undefined;
  readonly descending: boolean;
  readonly count: number;
}) => Promise<readonly TimeCount[]>;

/** The times between which the items of a stretch were made. */
export interface Window {
  readonly from: number;
  readonly to: number;
  /** Items of the window that come before the stretch. */
  readonly skipped: number;
}

interface Stretch {
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  /** The newest first. */
  readonly descending: boolean;
}

/** Times of a source's first look, and how many times as many of each that follows. Some hundred pages, saved together, have one time. */
const firstTimes = 64;
const growth = 2;

/**
 * Where a stretch of a list by age is, out of sources that are lists by age themselves. Items are counted from the end of the
 * list that is nearer, and no further than the stretch.
 */
export async function findWindow(
  sources: readonly TimeSource[],
  { total, offset, limit, descending }: Stretch,
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

/** Times with their items, until there are so many items. */
async function countUpTo(
  sources: readonly TimeSource[],
  wanted: number,
  descending: boolean,
): Promise<readonly TimeCount[]> {
  const items = new Map<number, number>();
  const readers = sources.map((source): Reader => ({ source, last: undefined, count: firstTimes, isOver: false }));
  for (;;) {
    const open = readers.filter(({ isOver }) => !isOver);
    // The one that has told least: of later times than its last nothing is known yet.
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
  /** Times of the next look. */
  count: number;
  isOver: boolean;
}

/** Greater for what comes later in the list. */
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

/** Items of some pages, and the times between which they were made: none earlier or later, though these may lie further apart. */
export interface BoundedItems {
  readonly first: number;
  readonly last: number;
  readonly items: number;
}

interface Bounded<Pages extends BoundedItems> {
  /** The times between which the items of the stretch were made. */
  readonly from: number;
  readonly to: number;
  /** Items that come before all of that time for sure. */
  readonly passed: number;
  /** Pages of whose items some may come before it. */
  readonly across: readonly Pages[];
}

interface BoundedStretch {
  readonly offset: number;
  /** Items of the stretch; there are so many. */
  readonly taken: number;
  /** The newest first. */
  readonly descending: boolean;
}

/** Where a stretch of a list by age is, as far as bounds tell it, without a look at any item. */
export function boundStretch<Pages extends BoundedItems>(
  pages: readonly Pages[],
  { offset, taken, descending }: BoundedStretch,
): Bounded<Pages> {
  // Greater for what comes later in the list.
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
