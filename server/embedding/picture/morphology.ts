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
 * Finds the smallest value within `half` of each value, in three comparisons whatever the window: minima from the start and
 * to the end of blocks as long as the window meet in it (van Herk, 1992; Gil and Werman, 1993). Lines have at most
 * `longest` values.
 */
export function movingMinimum(longest: number, half: number): MovingMinimum {
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
