/** Items of some pages, and the times between which they were made: none earlier or later, though these may lie further apart. */
export interface BoundedItems {
  readonly first: number;
  readonly last: number;
  readonly items: number;
}

export interface Bounded<Pages extends BoundedItems> {
  /** The times between which the items of the stretch were made. */
  readonly from: number;
  readonly to: number;
  /** Items that come before all of that time for sure. */
  readonly passed: number;
  /** Pages of whose items some may come before it. */
  readonly across: readonly Pages[];
}

interface Stretch {
  readonly offset: number;
  /** Items of the stretch; there are so many. */
  readonly taken: number;
  /** The newest first. */
  readonly descending: boolean;
}

/** Where a stretch of a list by age is, as far as bounds tell it, without a look at any item. */
export function boundStretch<Pages extends BoundedItems>(
  pages: readonly Pages[],
  { offset, taken, descending }: Stretch,
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
