import { disjointSets, join, rootOf } from "./disjoint-sets.ts";

/** Pixels that are ink (1) or not (0), rows from the top. */
export interface Mask {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** A connected piece of a mask. */
export interface Component {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Pixels. */
  readonly size: number;
  /** Pixels on the outermost rows and columns: nearly all pixels of a box that is drawn as an outline. */
  readonly onFrame: number;
}

/** A mask's runs of ink along its rows, in the order of their first pixels; each run has one index in all lists. */
interface Runs {
  readonly row: readonly number[];
  readonly from: readonly number[];
  /** The pixel after the run's last one. */
  readonly to: readonly number[];
}

/**
 * Returns the pieces whose pixels touch horizontally, vertically or at a corner, in the order of their first pixels. It joins
 * runs of pixels (A. Rosenfeld and J. Pfaltz, JACM 13, 1966) rather than single pixels, because print has several times as many
 * pixels as runs. It returns nothing for a mask with more than `maxRuns` runs, which bounds the memory and time that a page of
 * noise takes.
 */
export function componentsOf(mask: Mask, maxRuns = Number.POSITIVE_INFINITY): Component[] {
  const runs = runsOf(mask, maxRuns);
  if (runs === undefined) return [];
  const first = joined(runs);
  const { row, from, to } = runs;
  const pieces: { left: number; right: number; top: number; bottom: number; size: number; onFrame: number }[] = [];
  const owner = new Int32Array(row.length);
  for (let run = 0; run < row.length; run += 1) {
    const y = row[run] ?? 0;
    const start = from[run] ?? 0;
    const end = to[run] ?? 0;
    const root = first[run] ?? 0;
    if (root === run) {
      owner[run] = pieces.length;
      pieces.push({ left: start, right: end - 1, top: y, bottom: y, size: end - start, onFrame: 0 });
      continue;
    }
    owner[run] = owner[root] ?? 0;
    const piece = pieces[owner[run] ?? 0];
    if (piece === undefined) continue;
    if (start < piece.left) piece.left = start;
    if (end - 1 > piece.right) piece.right = end - 1;
    piece.bottom = y;
    piece.size += end - start;
  }
  for (let run = 0; run < row.length; run += 1) {
    const piece = pieces[owner[run] ?? 0];
    if (piece === undefined) continue;
    const y = row[run] ?? 0;
    const start = from[run] ?? 0;
    const end = to[run] ?? 0;
    const { left, right, top, bottom } = piece;
    const isAll = y <= top + 1 || y >= bottom - 1 || right - left <= 2;
    piece.onFrame += isAll
      ? end - start
      : overlap(start, end, left, left + 2) + overlap(start, end, right - 1, right + 1);
  }
  return pieces.map(({ left, right, top, bottom, size, onFrame }) => ({
    left,
    top,
    width: right - left + 1,
    height: bottom - top + 1,
    size,
    onFrame,
  }));
}

/** Returns the mask's runs; undefined if there are more than `maxRuns`. */
function runsOf({ width, height, data }: Mask, maxRuns: number): Runs | undefined {
  const runs = { row: new Array<number>(), from: new Array<number>(), to: new Array<number>() };
  for (let y = 0; y < height; y += 1) {
    const ink = data.indexOf(1, y * width);
    if (ink < 0) break;
    y = Math.floor(ink / width);
    const end = (y + 1) * width;
    for (let at = ink; at < end; at += 1) {
      if (data[at] === 0) continue;
      const start = at;
      while (at < end && data[at] === 1) at += 1;
      runs.row.push(y);
      runs.from.push(start - y * width);
      runs.to.push(at - y * width);
    }
    if (runs.row.length > maxRuns) return undefined;
  }
  return runs;
}

/** Returns for each run the first run of its piece. */
function joined({ row, from, to }: Runs): Int32Array {
  const pieces = disjointSets(row.length);
  // The earliest run that may touch the following runs.
  let above = 0;
  for (let run = 0; run < row.length; run += 1) {
    const y = row[run] ?? 0;
    const start = from[run] ?? 0;
    const end = to[run] ?? 0;
    while ((row[above] ?? y) < y - 1 || ((row[above] ?? y) === y - 1 && (to[above] ?? 0) < start)) above += 1;
    for (let near = above; (row[near] ?? y) < y && (from[near] ?? 0) <= end; near += 1) join(pieces, near, run);
  }
  for (let run = 0; run < row.length; run += 1) pieces[run] = rootOf(pieces, run);
  return pieces;
}

function overlap(start: number, end: number, from: number, to: number): number {
  return Math.max(0, Math.min(end, to) - Math.max(start, from));
}
