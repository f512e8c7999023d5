import type { PageRange } from "../../domain/ports/pages.ts";

/** The end of an open range; no document has as many pages. */
const lastPage = 2 ** 31 - 1;

/**
 * Returns the same pages in as few ranges as possible: ascending, with gaps between them, and within the bounds of page
 * numbers.
 */
export function mergeRanges(ranges: readonly PageRange[]): PageRange[] {
  const bounded = ranges
    .map(({ from, to }) => ({ from: Math.max(1, from), to: Math.min(lastPage, to) }))
    .filter(({ from, to }) => from <= to)
    .sort((one, other) => one.from - other.from);
  const merged: PageRange[] = [];
  for (const range of bounded) {
    const last = merged.at(-1);
    if (last !== undefined && range.from <= last.to + 1) {
      merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
    } else {
      merged.push(range);
    }
  }
  return merged;
}
