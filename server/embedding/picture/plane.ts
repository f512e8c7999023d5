import type { Raster } from "../pack.ts";

/** One value per pixel, rows from the top; ink is 1 and paper 0. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

/**
 * The picture's ink, scaled by linear interpolation with the triangle as wide as a target pixel, so that shrinking
 * averages. Down first and across then, row by row, so that nothing as large as the picture is made.
 */
export function inkOf(picture: Raster, width: number, height: number): Plane {
  const light = lightOf(picture);
  const rows = mixes(picture.height, height);
  const columns = mixes(picture.width, width);
  const result = new Float32Array(width * height);
  const row = new Float32Array(picture.width);
  for (const [y, { from, weights }] of rows.entries()) {
    row.fill(0);
    for (let tap = 0; tap < weights.length; tap += 1) {
      const weight = (weights[tap] ?? 0) / 255;
      const source = (from + tap) * picture.width;
      for (let x = 0; x < row.length; x += 1) row[x] = (row[x] ?? 0) + weight * (light[source + x] ?? 0);
    }
    for (let x = 0; x < width; x += 1) {
      const mix = columns[x];
      if (mix === undefined) continue;
      let sum = 0;
      for (let tap = 0; tap < mix.weights.length; tap += 1) sum += (mix.weights[tap] ?? 0) * (row[mix.from + tap] ?? 0);
      result[y * width + x] = 1 - sum;
    }
  }
  return { width, height, data: result };
}

/** Luma by ITU-R BT.601 where the picture has colours. */
function lightOf({ width, height, channels, data }: Raster): Uint8Array {
  if (channels === 1) return data;
  const light = new Uint8Array(width * height);
  for (let index = 0; index < light.length; index += 1) {
    const at = 3 * index;
    light[index] = Math.round(
      0.299 * (data[at] ?? 255) + 0.587 * (data[at + 1] ?? 255) + 0.114 * (data[at + 2] ?? 255),
    );
  }
  return light;
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

/** Gaussian blur of `sigma` pixels, cut off at two and a half of them; beyond its edges the plane goes on as it ends. */
export function blur(plane: Plane, sigma: number): Plane {
  const radius = Math.ceil(2.5 * sigma);
  const half = Float32Array.from({ length: radius + 1 }, (_, index) => Math.exp(-(index ** 2) / (2 * sigma * sigma)));
  const total = half.reduce((sum, value) => sum + 2 * value, -1);
  const weights = half.map((value) => value / total);
  return blurColumns(blurRows(plane, weights), weights);
}

function blurRows({ width, height, data }: Plane, weights: Float32Array): Plane {
  const radius = weights.length - 1;
  const result = new Float32Array(data.length);
  const padded = new Float32Array(width + 2 * radius);
  for (let y = 0; y < height; y += 1) {
    const row = data.subarray(y * width, (y + 1) * width);
    const target = result.subarray(y * width, (y + 1) * width);
    padded.fill(row[0] ?? 0, 0, radius);
    padded.set(row, radius);
    padded.fill(row[width - 1] ?? 0, radius + width);
    addPair(target, padded, radius, padded, radius, (weights[0] ?? 0) / 2);
    for (let k = 1; k <= radius; k += 1) addPair(target, padded, radius - k, padded, radius + k, weights[k] ?? 0);
  }
  return { width, height, data: result };
}

function blurColumns({ width, height, data }: Plane, weights: Float32Array): Plane {
  const result = new Float32Array(data.length);
  for (let y = 0; y < height; y += 1) {
    const target = result.subarray(y * width, (y + 1) * width);
    addPair(target, data, y * width, data, y * width, (weights[0] ?? 0) / 2);
    for (let k = 1; k < weights.length; k += 1) {
      const above = Math.max(0, y - k) * width;
      const below = Math.min(height - 1, y + k) * width;
      addPair(target, data, above, data, below, weights[k] ?? 0);
    }
  }
  return { width, height, data: result };
}

/** A kernel is the same both ways, so that two samples share a multiplication. */
function addPair(
  target: Float32Array,
  left: Float32Array,
  leftFrom: number,
  right: Float32Array,
  rightFrom: number,
  weight: number,
): void {
  for (let x = 0; x < target.length; x += 1) {
    target[x] = (target[x] ?? 0) + weight * ((left[leftFrom + x] ?? 0) + (right[rightFrom + x] ?? 0));
  }
}
