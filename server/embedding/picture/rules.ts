import { movingMinimum } from "./morphology.ts";
import type { Plane } from "./plane.ts";
import { longRuns } from "./runs.ts";

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
 * Raises `rules` to the rest of a line of `data` without everything shorter than the window: the minima within the window,
 * and the maxima of these. Only runs of ink as long as the window leave anything, and print has few of them, so everything
 * else is skipped. A run that reaches the end of a line is taken to continue beyond it.
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
