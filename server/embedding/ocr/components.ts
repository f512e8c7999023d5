import type { Mask } from "./mask.ts";

/** A rectangle of pixels; right and bottom are outside of it. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** So many pieces of rows are noise or a screen of dots, not letters; a page of small print has a tenth. */
const mostRuns = 1_000_000;

/**
 * The boxes of ink that hangs together, corners included. Pages of noise have none, so that memory and time stay
 * bounded. Pieces of rows are joined with those above them (A. Rosenfeld and J. Pfaltz, JACM 13, 1966).
 */
export function componentBoxes({ width, height, data }: Mask): Box[] {
  const runs = findRuns(data, width, height);
  if (runs === undefined) return [];
  const { starts, ends, rowStarts } = runs;
  const parent = Int32Array.from(starts, (_, index) => index);
  for (let y = 1; y < height; y += 1) {
    let above = rowStarts[y - 1] ?? 0;
    const aboveEnd = rowStarts[y] ?? 0;
    for (let run = aboveEnd; run < (rowStarts[y + 1] ?? 0); run += 1) {
      const start = starts[run] ?? 0;
      const end = ends[run] ?? 0;
      // Those that end before this one begins are before all that follow, too.
      while (above < aboveEnd && (ends[above] ?? 0) < start) above += 1;
      for (let other = above; other < aboveEnd && (starts[other] ?? 0) <= end; other += 1) join(parent, run, other);
    }
  }
  return boxesOf(runs, parent, height);
}

interface Runs {
  /** Columns from and to (outside) of each run, row by row. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Of each row its first run; one more at the end. */
  readonly rowStarts: Int32Array;
}

function findRuns(data: Uint8Array, width: number, height: number): Runs | undefined {
  const count = countRuns(data, width, height);
  if (count > mostRuns) return undefined;
  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  const rowStarts = new Int32Array(height + 1);
  let run = 0;
  for (let y = 0; y < height; y += 1) {
    rowStarts[y] = run;
    const row = y * width;
    let x = 0;
    while (x < width) {
      if (data[row + x] === 0) {
        x += 1;
        continue;
      }
      starts[run] = x;
      while (x < width && data[row + x] === 1) x += 1;
      ends[run] = x;
      run += 1;
    }
  }
  rowStarts[height] = run;
  return { starts, ends, rowStarts };
}

function countRuns(data: Uint8Array, width: number, height: number): number {
  let count = 0;
  for (let y = 0; y < height; y += 1) {
    let before = 0;
    for (let at = y * width; at < (y + 1) * width; at += 1) {
      const value = data[at] ?? 0;
      count += value & (before ^ 1);
      before = value;
    }
  }
  return count;
}

function boxesOf({ starts, ends, rowStarts }: Runs, parent: Int32Array, height: number): Box[] {
  const numbers = new Map<number, { left: number; top: number; right: number; bottom: number }>();
  for (let y = 0; y < height; y += 1) {
    for (let run = rowStarts[y] ?? 0; run < (rowStarts[y + 1] ?? 0); run += 1) {
      const root = rootOf(parent, run);
      const left = starts[run] ?? 0;
      const right = ends[run] ?? 0;
      const box = numbers.get(root);
      if (box === undefined) {
        numbers.set(root, { left, top: y, right, bottom: y + 1 });
        continue;
      }
      if (left < box.left) box.left = left;
      if (right > box.right) box.right = right;
      box.bottom = y + 1;
    }
  }
  return [...numbers.values()];
}

/** Where the element's chain of parents ends; halves the chain on its way. */
export function rootOf(parent: Int32Array, element: number): number {
  let at = element;
  for (;;) {
    const up = parent[at] ?? at;
    if (up === at) return at;
    const further = parent[up] ?? up;
    parent[at] = further;
    at = further;
  }
}

export function join(parent: Int32Array, one: number, other: number): void {
  const first = rootOf(parent, one);
  const second = rootOf(parent, other);
  if (first !== second) parent[Math.max(first, second)] = Math.min(first, second);
}
