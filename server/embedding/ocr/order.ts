import type { Line } from "./lines.ts";

/** Minimum gap between columns in heights of a line; gaps between words are narrower. */
const columnGap = 0.9;
/** Fewer lines beside a gap are no column but a number or a mark. */
const minLines = 2;

/**
 * Returns the lines in reading order: columns one after another, each from its top. A region is cut at white stripes again
 * and again (G. Nagy and S. Seth, ICPR 1984): along its whole height if there is such a stripe, otherwise across it.
 */
export function inReadingOrder(lines: readonly Line[]): Line[] {
  const heights = lines.map(({ top, bottom }) => bottom - top).toSorted((one, other) => one - other);
  const usual = heights[heights.length >> 1] ?? 0;
  const ordered: Line[] = [];
  // A stack instead of recursion, which a hostile page could make deep.
  const regions: (readonly Line[])[] = [lines];
  for (let region = regions.pop(); region !== undefined; region = regions.pop()) {
    const parts = cutAt(region, (line) => [line.left, line.right], columnGap * usual, minLines) ?? cutAcross(region);
    if (parts === undefined)
      ordered.push(...region.toSorted((one, other) => one.top - other.top || one.left - other.left));
    else regions.push(parts[1], parts[0]);
  }
  return ordered;
}

type Parts = readonly [readonly Line[], readonly Line[]];

function cutAcross(region: readonly Line[]): Parts | undefined {
  return cutAt(region, middles, 0, 1);
}

/** The middle half of a line's rows: descenders and a remaining slope may reach into the next line. */
function middles({ top, bottom }: Line): readonly [number, number] {
  const quarter = (bottom - top) / 4;
  return [top + quarter, bottom - quarter];
}

/** Splits a region at the widest gap of at least `minGap` that has `minBeside` lines on both sides. */
function cutAt(
  region: readonly Line[],
  extent: (line: Line) => readonly [number, number],
  minGap: number,
  minBeside: number,
): Parts | undefined {
  const sorted = region.toSorted((one, other) => extent(one)[0] - extent(other)[0]);
  let reached = -Infinity;
  let widest = minGap;
  let at: number | undefined;
  sorted.forEach((line, index) => {
    const [from, to] = extent(line);
    if (index >= minBeside && sorted.length - index >= minBeside && from - reached > widest) {
      widest = from - reached;
      at = index;
    }
    reached = Math.max(reached, to);
  });
  return at === undefined ? undefined : [sorted.slice(0, at), sorted.slice(at)];
}
