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
  const rows = resizeRows(plane, width);
  return transpose(resizeRows(transpose(rows), height));
}

function resizeRows({ width, height, data }: Plane, target: number): Plane {
  const scale = width / target;
  const radius = Math.max(1, scale);
  const result = new Float32Array(target * height);
  for (let x = 0; x < target; x += 1) {
    const centre = (x + 0.5) * scale - 0.5;
    const from = Math.max(0, Math.ceil(centre - radius));
    const to = Math.min(width - 1, Math.floor(centre + radius));
    let total = 0;
    for (let source = from; source <= to; source += 1) total += radius - Math.abs(source - centre);
    for (let source = from; source <= to; source += 1) {
      const weight = (radius - Math.abs(source - centre)) / total;
      if (weight <= 0) continue;
      for (let y = 0; y < height; y += 1) {
        const at = y * target + x;
        result[at] = (result[at] ?? 0) + weight * (data[y * width + source] ?? 0);
      }
    }
  }
  return { width: target, height, data: result };
}

function transpose({ width, height, data }: Plane): Plane {
  const result = new Float32Array(data.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) result[x * height + y] = data[y * width + x] ?? 0;
  }
  return { width: height, height: width, data: result };
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
