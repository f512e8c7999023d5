import type { GreyRaster } from "../raster.ts";
import { type Box, inkBoxes, lettersAmong, type Line, linesOf } from "./lines.ts";
import { inkMask } from "./ink.ts";

/**
 * A line of one or two letters is read if its height differs from the usual one by less than this factor: it is then a number in
 * a table rather than a speck.
 */
const loneRatio = 1.8;

/** Finds the lines of text on a grey page, in reading order. Time and memory are bounded for any page. */
export function findLines(page: GreyRaster): Line[] {
  const letters = lettersAmong(inkBoxes(inkMask(page)));
  const lines = linesOf(letters, skewOf(letters));
  const heights = lines.flatMap(({ letters, top, bottom }) => (letters > 2 ? [bottom - top] : []));
  const usual = heights.toSorted((one, other) => one - other)[heights.length >> 1] ?? 0;
  const worthReading = lines.filter(({ letters, top, bottom }) => {
    const height = bottom - top;
    return letters > 2 || (height < usual * loneRatio && height * loneRatio > usual);
  });
  return inReadingOrder(worthReading);
}

/** Minimum gap between columns in heights of a line; gaps between words are narrower. */
const columnGap = 0.9;
/** Minimum lines of a column: fewer beside a gap are a number or a mark. */
const minLines = 2;

/**
 * Returns the lines in reading order: columns one after another, each from its top. A region is cut at white stripes again
 * and again (G. Nagy and S. Seth, ICPR 1984): along its whole height if there is such a stripe, otherwise across it.
 */
function inReadingOrder(lines: readonly Line[]): Line[] {
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

/** Steepest slope at which sheets go through a scanner, about 5 degrees. */
const steepest = 0.0875;
const coarse = 0.005;
const fine = 0.0005;
/** Rows of the histogram, pixels: about a third of a small letter. */
const rowHeight = 3;
/** Maximum letters to examine: more do not make the slope more certain. */
const maxLetters = 4_000;
/** A slope must score better than no slope by this factor; otherwise the difference is chance. */
const clearly = 1.05;

/**
 * Returns the lines' slope, in pixels down per pixel to the right: the slope at which the feet of letters fall into the fewest
 * rows.
 */
function skewOf(letters: readonly Box[]): number {
  const step = Math.max(1, Math.ceil(letters.length / maxLetters));
  const feet = letters.filter((_, index) => index % step === 0);
  if (feet.length < 20) return 0;
  const rough = best(feet, -steepest, steepest, coarse);
  const slope = best(feet, rough - coarse, rough + coarse, fine);
  return gathering(feet, slope) > clearly * gathering(feet, 0) ? slope : 0;
}

function best(feet: readonly Box[], from: number, to: number, step: number): number {
  let found = 0;
  let most = 0;
  for (let index = 0; from + index * step <= to + step / 2; index += 1) {
    const slope = from + index * step;
    const score = gathering(feet, slope);
    if (score > most) {
      most = score;
      found = slope;
    }
  }
  return found;
}

/** Returns the sum of the squared numbers of feet in each row, which is largest if the feet fall into the fewest rows. */
function gathering(feet: readonly Box[], slope: number): number {
  const rows = new Map<number, number>();
  for (const { left, right, bottom } of feet) {
    const at = (bottom - (slope * (left + right)) / 2) / rowHeight;
    const row = Math.floor(at);
    // A foot between two rows counts in both; otherwise the score would depend on where rows happen to begin.
    rows.set(row, (rows.get(row) ?? 0) + (row + 1 - at));
    rows.set(row + 1, (rows.get(row + 1) ?? 0) + (at - row));
  }
  let sum = 0;
  for (const count of rows.values()) sum += count * count;
  return sum;
}
