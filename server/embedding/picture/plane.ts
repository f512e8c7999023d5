import type { Raster } from "../pack.ts";

/** One value per pixel, rows from the top; ink is 1 and paper 0. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

/** Luma by ITU-R BT.601 where the picture has colours. */
export function inkOf({ width, height, channels, data }: Raster): Plane {
  const ink = new Float32Array(width * height);
  for (let index = 0; index < ink.length; index += 1) {
    const at = index * channels;
    const first = data[at] ?? 255;
    const light =
      channels === 1 ? first : 0.299 * first + 0.587 * (data[at + 1] ?? 255) + 0.114 * (data[at + 2] ?? 255);
    ink[index] = 1 - light / 255;
  }
  return { width, height, data: ink };
}

/** Scaled by linear interpolation with the triangle as wide as a target pixel, so that shrinking averages. */
export function resize(plane: Plane, width: number, height: number): Plane {
  return resizeAcross(resizeDown(plane, height), width);
}

/** The source pixels that a target pixel is made of, and their shares. */
interface Mix {
  readonly from: number;
  readonly weights: Float32Array;
}

function mixes(source: number, target: number): Mix[] {
  const scale = source / target;
  const radius = Math.max(1, scale);
  return Array.from({ length: target }, (_, at) => {
    const centre = (at + 0.5) * scale - 0.5;
    const from = Math.max(0, Math.ceil(centre - radius));
    const to = Math.min(source - 1, Math.floor(centre + radius));
    const weights = Float32Array.from({ length: to - from + 1 }, (_, tap) => radius - Math.abs(from + tap - centre));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return { from, weights: weights.map((weight) => weight / total) };
  });
}

function resizeDown({ width, height, data }: Plane, target: number): Plane {
  const result = new Float32Array(width * target);
  for (const [y, { from, weights }] of mixes(height, target).entries()) {
    const row = result.subarray(y * width, (y + 1) * width);
    for (let tap = 0; tap < weights.length; tap += 1) {
      const weight = weights[tap] ?? 0;
      const source = data.subarray((from + tap) * width, (from + tap + 1) * width);
      for (let x = 0; x < width; x += 1) row[x] = (row[x] ?? 0) + weight * (source[x] ?? 0);
    }
  }
  return { width, height: target, data: result };
}

function resizeAcross({ width, height, data }: Plane, target: number): Plane {
  const result = new Float32Array(target * height);
  const columns = mixes(width, target);
  for (let y = 0; y < height; y += 1) {
    const row = data.subarray(y * width, (y + 1) * width);
    for (let x = 0; x < target; x += 1) {
      const mix = columns[x];
      if (mix === undefined) continue;
      let sum = 0;
      for (let tap = 0; tap < mix.weights.length; tap += 1) sum += (mix.weights[tap] ?? 0) * (row[mix.from + tap] ?? 0);
      result[y * target + x] = sum;
    }
  }
  return { width: target, height, data: result };
}

/** Gaussian blur of `sigma` pixels, cut off at three of them; beyond its edges the plane goes on as it ends. */
export function blur(plane: Plane, sigma: number): Plane {
  const radius = Math.ceil(3 * sigma);
  const kernel = Float32Array.from({ length: 2 * radius + 1 }, (_, index) =>
    Math.exp(-((index - radius) ** 2) / (2 * sigma * sigma)),
  );
  const total = kernel.reduce((sum, value) => sum + value, 0);
  const weights = kernel.map((value) => value / total);
  return blurColumns(blurRows(plane, weights, radius), weights, radius);
}

function blurRows({ width, height, data }: Plane, weights: Float32Array, radius: number): Plane {
  const result = new Float32Array(data.length);
  const padded = new Float32Array(width + 2 * radius);
  for (let y = 0; y < height; y += 1) {
    const row = data.subarray(y * width, (y + 1) * width);
    padded.fill(row[0] ?? 0, 0, radius);
    padded.set(row, radius);
    padded.fill(row[width - 1] ?? 0, radius + width);
    for (let x = 0; x < width; x += 1) {
      let sum = 0;
      for (let k = 0; k < weights.length; k += 1) sum += (weights[k] ?? 0) * (padded[x + k] ?? 0);
      result[y * width + x] = sum;
    }
  }
  return { width, height, data: result };
}

function blurColumns({ width, height, data }: Plane, weights: Float32Array, radius: number): Plane {
  const result = new Float32Array(data.length);
  for (let y = 0; y < height; y += 1) {
    for (let k = 0; k < weights.length; k += 1) {
      const weight = weights[k] ?? 0;
      const from = Math.min(height - 1, Math.max(0, y + k - radius)) * width;
      for (let x = 0; x < width; x += 1) {
        const at = y * width + x;
        result[at] = (result[at] ?? 0) + weight * (data[from + x] ?? 0);
      }
    }
  }
  return { width, height, data: result };
}
