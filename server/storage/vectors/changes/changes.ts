import { addressOf, countBelow } from "./addresses.ts";
import type { Move, Place, Range } from "./move.ts";
import type { Walk } from "./steps.ts";
import type { TableLayout } from "./table-layout.ts";

export interface Changes {
  /** Of the version that the table shows. */
  readonly layout: TableLayout;
  readonly addedCount: number;
  /** Addresses of the rows that have come. */
  added(): bigint[];
  /** Where rows of the version before are. */
  follow(addresses: BigUint64Array): Followed;
}

export interface Followed {
  /** The same array where all are as they were. */
  readonly addresses: BigUint64Array;
  /** The places of those that are gone. */
  readonly gone: readonly number[];
}

export function changesOf(before: TableLayout, layout: TableLayout, { moves, added }: Walk): Changes {
  const removedIn = ({ fragment, from, to }: Range): number => {
    const removed = layout.fragments.get(fragment)?.removed ?? noRows;
    return countBelow(removed, to) - countBelow(removed, from);
  };
  const left = function* (): Generator<bigint> {
    for (const { fragment, from, to } of added) {
      for (let row = from; row < to; row++) {
        if (!isRemoved(layout, fragment, row)) yield addressOf(fragment, row);
      }
    }
  };
  return {
    layout,
    addedCount: added.reduce((sum, range) => sum + range.to - range.from - removedIn(range), 0),
    added: () => [...left()],
    follow: (addresses) => followed(addresses, { layout, moves, untouched: untouchedIn(before, layout, moves) }),
  };
}

const noRows = new Uint32Array();

/** Also of a fragment that is not there any more. */
function isRemoved({ fragments }: TableLayout, fragment: number, row: number): boolean {
  const removed = fragments.get(fragment)?.removed;
  return removed === undefined || removed[countBelow(removed, row)] === row;
}

/** The fragments whose rows are all where they were. */
function untouchedIn(before: TableLayout, { fragments }: TableLayout, moves: readonly Move[]): ReadonlySet<number> {
  const same = before.fragments.values().filter(({ id, removal }) => {
    const now = fragments.get(id);
    return now !== undefined && now.removal === removal && !moves.some((move) => move.has(id));
  });
  return new Set(same.map(({ id }) => id));
}

interface Following extends Pick<Walk, "layout" | "moves"> {
  readonly untouched: ReadonlySet<number>;
}

function followed(before: BigUint64Array, { layout, moves, untouched }: Following): Followed {
  // Of each address first the lower half: numbers, since BigInt takes many times as long.
  let halves = new Uint32Array(before.buffer, before.byteOffset, 2 * before.length);
  let addresses = before;
  const gone: number[] = [];
  let [last, isSame] = [-1, false];
  for (let at = 0; at < before.length; at++) {
    const fragment = halves[2 * at + 1] ?? 0;
    if (fragment !== last) [last, isSame] = [fragment, untouched.has(fragment)];
    if (isSame) continue;
    const place = placeAfter(moves, { fragment, row: halves[2 * at] ?? 0 });
    if (place === undefined || isRemoved(layout, place.fragment, place.row)) {
      gone.push(at);
      continue;
    }
    if (addresses === before) {
      addresses = before.slice();
      halves = new Uint32Array(addresses.buffer);
    }
    halves[2 * at] = place.row;
    halves[2 * at + 1] = place.fragment;
  }
  return { addresses, gone };
}

/** Undefined: the row had been removed before. */
function placeAfter(moves: readonly Move[], place: Place): Place | undefined {
  let moved: Place | undefined = place;
  for (const move of moves) {
    if (moved !== undefined && move.has(moved.fragment)) moved = move.placeOf(moved);
  }
  return moved;
}
