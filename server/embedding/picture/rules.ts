import type { Plane } from "./plane.ts";

/**
 * Takes away whatever is longer than `length` pixels across or down: ruled lines, frames, shading. Renderers draw a
 * hairline black at one size and pale at another, so it would be the strongest mark of a page and the least faithful.
 *
 * The white top-hat of mathematical morphology with line segments (Serra, "Image Analysis and Mathematical
 * Morphology", 1982): the plane less the larger of its horizontal and vertical openings.
 */
export function withoutRules({ width, height, data }: Plane, length: number): Plane {
  const across = { count: height, jump: width, size: width, stride: 1 };
  const down = { count: width, jump: 1, size: height, stride: width };
  const rows = opened(data, across, length);
  const columns = opened(data, down, length);
  return {
    width,
    height,
    data: data.map((value, index) => value - Math.max(rows[index] ?? 0, columns[index] ?? 0)),
  };
}

/** The lines of pixels to go along: how many, how far apart they begin; how many pixels each, how far apart. */
interface Lines {
  readonly count: number;
  readonly jump: number;
  readonly size: number;
  readonly stride: number;
}

/** What is left of each line when everything shorter than the window is taken away. */
function opened(data: Float32Array, { count, jump, size, stride }: Lines, length: number): Float32Array {
  const half = Math.max(1, length >> 1);
  const eroded = movingMinimum(size, half);
  const dilated = movingMinimum(size, half);
  const line = new Float32Array(size);
  const result = new Float32Array(data.length);
  for (let index = 0; index < count; index += 1) {
    const base = index * jump;
    for (let at = 0; at < size; at += 1) line[at] = data[base + at * stride] ?? 0;
    const least = eroded(line);
    // The maximum is the minimum of the negative.
    for (let at = 0; at < size; at += 1) line[at] = -(least[at] ?? 0);
    const most = dilated(line);
    for (let at = 0; at < size; at += 1) result[base + at * stride] = -(most[at] ?? 0);
  }
  return result;
}

/**
 * The smallest value within `half` of each place, in three comparisons whatever the window: minima from the start and
 * to the end of blocks as long as the window meet in it (van Herk, 1992; Gil and Werman, 1993).
 */
function movingMinimum(size: number, half: number): (line: Float32Array) => Float32Array {
  const window = 2 * half + 1;
  const padded = new Float32Array(Math.ceil((size + 2 * half) / window) * window).fill(Infinity);
  const fromStart = new Float32Array(padded.length);
  const toEnd = new Float32Array(padded.length);
  const result = new Float32Array(size);
  return (line) => {
    padded.set(line, half);
    for (let block = 0; block < padded.length; block += window) {
      let least = Infinity;
      for (let at = block; at < block + window; at += 1) {
        least = Math.min(least, padded[at] ?? 0);
        fromStart[at] = least;
      }
      least = Infinity;
      for (let at = block + window - 1; at >= block; at -= 1) {
        least = Math.min(least, padded[at] ?? 0);
        toEnd[at] = least;
      }
    }
    for (let at = 0; at < size; at += 1) {
      result[at] = Math.min(toEnd[at] ?? 0, fromStart[at + window - 1] ?? 0);
    }
    return result;
  };
}
