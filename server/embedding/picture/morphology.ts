import type { Plane } from "./plane.ts";

/** Makes each pixel as light as the lightest within `half` of it in its row. */
export function minimumAcross({ width, height, data }: Plane, half: number): Plane {
  const least = movingMinimum(width, half);
  const result = new Float32Array(data.length);
  for (let from = 0; from < data.length; from += width) {
    least(data.subarray(from, from + width), width, result.subarray(from, from + width));
  }
  return { width, height, data: result };
}

/** Makes each pixel as dark as the darkest within `half` of it in its row: the minimum of the negative. */
export function maximumAcross(plane: Plane, half: number): Plane {
  return negative(minimumAcross(negative(plane), half));
}

function negative({ width, height, data }: Plane): Plane {
  const result = new Float32Array(data.length);
  for (let at = 0; at < result.length; at += 1) result[at] = -(data[at] ?? 0);
  return { width, height, data: result };
}

export function transposed({ width, height, data }: Plane): Plane {
  const result = new Float32Array(data.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) result[x * height + y] = data[y * width + x] ?? 0;
  }
  return { width: height, height: width, data: result };
}

/** Computes the minima of the first `length` values of `line`; `result` may be the same array. */
type MovingMinimum = (line: Float32Array, length: number, result: Float32Array) => void;

/**
 * Finds the smallest value within `half` of each value, in three comparisons whatever the size of the window. It combines running
 * minima from the start and to the end of blocks that are as long as the window (van Herk, 1992; Gil and Werman, 1993). Lines
 * have at most `longest` values.
 */
function movingMinimum(longest: number, half: number): MovingMinimum {
  const window = 2 * half + 1;
  const padded = new Float32Array(Math.ceil((longest + 2 * half) / window) * window).fill(Infinity);
  const fromStart = new Float32Array(padded.length);
  const toEnd = new Float32Array(padded.length);
  return (line, length, result) => {
    for (let at = 0; at < length; at += 1) padded[half + at] = line[at] ?? 0;
    const end = Math.ceil((length + 2 * half) / window) * window;
    padded.fill(Infinity, half + length, end);
    for (let block = 0; block < end; block += window) {
      let least = Infinity;
      for (let at = block; at < block + window; at += 1) {
        const value = padded[at] ?? 0;
        if (value < least) least = value;
        fromStart[at] = least;
      }
      least = Infinity;
      for (let at = block + window - 1; at >= block; at -= 1) {
        const value = padded[at] ?? 0;
        if (value < least) least = value;
        toEnd[at] = least;
      }
    }
    for (let at = 0; at < length; at += 1) {
      const before = toEnd[at] ?? 0;
      const after = fromStart[at + window - 1] ?? 0;
      result[at] = before < after ? before : after;
    }
  };
}

/**
 * Calls `use` for each run of ink (values above 0) that is at least `minLength` long, with its first index and the index after
 * its last. The line has `length` values, `step` apart, beginning at `first`. A run this long cannot lie between two values that
 * are `minLength` apart, so only a few values of a line of print are read.
 */
export function longRuns(
  data: Float32Array | Uint8Array,
  first: number,
  step: number,
  length: number,
  minLength: number,
  use: (from: number, to: number) => void,
): void {
  const isInk = (place: number): boolean => (data[first + place * step] ?? 0) > 0;
  for (let probe = minLength - 1; probe < length; probe += minLength) {
    if (!isInk(probe)) continue;
    let from = probe;
    while (from > 0 && isInk(from - 1)) from -= 1;
    let to = probe + 1;
    while (to < length && isInk(to)) to += 1;
    if (to - from >= minLength) use(from, to);
    probe = to;
  }
}

/**
 * Removes everything longer than `length` pixels across or down: ruled lines, frames, shading. Renderers draw a hairline
 * black at one size and pale at another, so it would be the strongest feature of a page and the least reliable.
 *
 * This is the white top-hat of mathematical morphology with line segments (Serra, "Image Analysis and Mathematical
 * Morphology", 1982): the plane minus the larger of its horizontal and vertical openings.
 */
export function withoutRules(plane: Plane, length: number): Plane {
  const { width, height, data } = plane;
  const half = Math.max(1, length >> 1);
  const rules = new Float32Array(data.length);
  const across = openLine(data, width, half, rules);
  for (let y = 0; y < height; y += 1) across(y * width, 1);
  const down = openLine(data, height, half, rules);
  for (let x = 0; x < width; x += 1) down(x, width);
  // The result reuses the array of the rules.
  for (let at = 0; at < rules.length; at += 1) rules[at] = (data[at] ?? 0) - (rules[at] ?? 0);
  return { width, height, data: rules };
}

/**
 * Removes everything shorter than the window from a line of `data` (minima within the window, then the maxima of these), and
 * raises `rules` to the rest. Only runs of ink as long as the window leave anything, and print has few of them, so everything
 * else is skipped. A run that reaches the end of a line is assumed to continue beyond it.
 */
function openLine(
  data: Float32Array,
  size: number,
  half: number,
  rules: Float32Array,
): (start: number, step: number) => void {
  const line = new Float32Array(size + 2 * half);
  const minimum = movingMinimum(line.length, half);

  function openRun(start: number, step: number, from: number, to: number): void {
    const length = to - from;
    line.fill(from === 0 ? Infinity : 0, 0, half);
    for (let at = 0; at < length; at += 1) line[half + at] = data[start + (from + at) * step] ?? 0;
    line.fill(to === size ? Infinity : 0, half + length, length + 2 * half);
    minimum(line, length + 2 * half, line);
    // The maximum is the minimum of the negative.
    for (let at = 0; at < length; at += 1) line[at] = -(line[half + at] ?? 0);
    minimum(line, length, line);
    for (let at = 0; at < length; at += 1) {
      const index = start + (from + at) * step;
      const kept = -(line[at] ?? 0);
      if (kept > (rules[index] ?? 0)) rules[index] = kept;
    }
  }

  return (start, step) => {
    longRuns(data, start, step, size, Math.min(size, half + 1), (from, to) => {
      const window = 2 * half + 1 - (from === 0 ? half : 0) - (to === size ? half : 0);
      if (to - from >= window) openRun(start, step, from, to);
    });
  };
}
