import { countBelow } from "./addresses.ts";
import type { KnownFragment } from "./table-layout.ts";

/** Rows of a fragment that follow one another. */
export interface Range {
  readonly fragment: number;
  /** The first. */
  readonly from: number;
  /** The one after the last. */
  readonly to: number;
}

export interface Place {
  readonly fragment: number;
  readonly row: number;
}

/** Where a rewrite has put rows. */
export interface Move {
  has(fragment: number): boolean;
  /** Undefined: the row had been removed. */
  placeOf(place: Place): Place | undefined;
  /** Where the rows of a range are that had not been removed. */
  moveRange(range: Range): Range[];
}

/** Undefined unless it is known which rows were left. */
export function moveOf(
  from: readonly KnownFragment[],
  to: readonly { readonly id: number; readonly physicalRows: number }[],
): Move | undefined {
  const begins = new Map<number, { readonly first: number; readonly removed: Uint32Array }>();
  let count = 0;
  for (const { id, rows, removed } of from) {
    if (removed === undefined) return undefined;
    begins.set(id, { first: count, removed });
    count += rows - removed.length;
  }
  const ends: number[] = [];
  for (const { physicalRows } of to) ends.push((ends.at(-1) ?? 0) + physicalRows);
  if ((ends.at(-1) ?? 0) !== count) return undefined;
  /** Where a row is among all that were left, counted from 0; also of one that was removed, that of the next one that was not. */
  const orderOf = (fragment: number, row: number): number => {
    const { first = 0, removed = none } = begins.get(fragment) ?? {};
    return first + row - countBelow(removed, row);
  };
  return {
    has: (fragment) => begins.has(fragment),
    placeOf({ fragment, row }) {
      const removed = begins.get(fragment)?.removed ?? none;
      if (removed[countBelow(removed, row)] === row) return undefined;
      const order = orderOf(fragment, row);
      const at = ends.findIndex((end) => order < end);
      const id = to[at]?.id;
      return id === undefined ? undefined : { fragment: id, row: order - (ends[at - 1] ?? 0) };
    },
    moveRange({ fragment, from: first, to: end }) {
      const [begin, stop] = [orderOf(fragment, first), orderOf(fragment, end)];
      return to.flatMap(({ id }, at) => {
        const before = ends[at - 1] ?? 0;
        const [low, high] = [Math.max(begin, before), Math.min(stop, ends[at] ?? 0)];
        return low < high ? [{ fragment: id, from: low - before, to: high - before }] : [];
      });
    },
  };
}

const none = new Uint32Array();
