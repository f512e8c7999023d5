import type { Mask } from "../mask/components.ts";
import type { GreyRaster } from "../raster.ts";

/**
 * Mean and deviation are computed for each block and for its surroundings, which are twice as wide as the thickest stroke of body
 * text.
 */
const blockBits = 3;
const block = 2 ** blockBits;
const reach = 2;
/** A neighbourhood this dark and this wide is not a stroke but a background with light text. */
const darkMean = 100;
const darkReach = 5;
/** Ink is darker than its neighbourhood's mean by this many deviations. */
const below = 0.2;
/** Neighbourhoods that vary less than this, or than this many times the variation of the page's paper, have no ink. */
const minDeviation = 6;
const overNoise = 1.8;
const maxNoise = 10;
/** Share of a page's blocks that show its paper: margins and the space between lines. */
const paperShare = 0.15;

/**
 * Distinguishes ink from paper by each neighbourhood's mean and deviation (W. Niblack, An Introduction to Digital Image
 * Processing, 1986), where it varies more than the page's paper: this copes with uneven light, faint print and show-through. On
 * dark backgrounds the light pixels are ink. The time is proportional to the number of pixels.
 */
export function inkMask({ width, height, data }: GreyRaster): Mask {
  const columns = Math.ceil(width / block);
  const rows = Math.ceil(height / block);
  const { mean, deviation } = statistics({ width, height, data }, columns, rows);
  const ground = boxMeans(mean, columns, rows, darkReach);
  const noise = Math.min(maxNoise, deviation.toSorted()[Math.floor(deviation.length * paperShare)] ?? 0);
  const minSpread = Math.max(minDeviation, noise * overNoise);
  const near = around(mean, deviation, columns, rows);
  const mask = new Uint8Array(width * height);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const at = row * columns + column;
      const spread = near.deviation[at] ?? 0;
      if (spread < minSpread) continue;
      const light = (ground[at] ?? 255) < darkMean;
      const limit = (near.mean[at] ?? 0) + (light ? below : -below) * spread;
      const right = Math.min(width, (column + 1) * block);
      const bottom = Math.min(height, (row + 1) * block);
      for (let y = row * block; y < bottom; y += 1) {
        for (let index = y * width + column * block; index < y * width + right; index += 1) {
          const value = data[index] ?? 0;
          if (light ? value > limit : value < limit) mask[index] = 1;
        }
      }
    }
  }
  return { width, height, data: mask };
}

interface Statistics {
  readonly mean: Float32Array;
  readonly deviation: Float32Array;
}

/** Statistics of each block by itself. */
function statistics({ width, height, data }: Mask, columns: number, rows: number): Statistics {
  const sums = new Float64Array(columns * rows);
  const squares = new Float64Array(columns * rows);
  for (let y = 0; y < height; y += 1) {
    const first = Math.floor(y / block) * columns;
    for (let x = 0, at = y * width; x < width; x += 1, at += 1) {
      const value = data[at] ?? 0;
      const index = first + (x >> blockBits);
      sums[index] = (sums[index] ?? 0) + value;
      squares[index] = (squares[index] ?? 0) + value * value;
    }
  }
  const mean = new Float32Array(sums.length);
  const deviation = new Float32Array(sums.length);
  for (let index = 0; index < sums.length; index += 1) {
    const across = Math.min(block, width - (index % columns) * block);
    const down = Math.min(block, height - Math.floor(index / columns) * block);
    const average = (sums[index] ?? 0) / (across * down);
    mean[index] = average;
    deviation[index] = Math.sqrt(Math.max(0, (squares[index] ?? 0) / (across * down) - average * average));
  }
  return { mean, deviation };
}

/** Statistics of each block together with those around it. */
function around(mean: Float32Array, deviation: Float32Array, columns: number, rows: number): Statistics {
  const squares = deviation.map((value, index) => value * value + (mean[index] ?? 0) ** 2);
  const means = boxMeans(mean, columns, rows, reach);
  const spread = boxMeans(squares, columns, rows, reach).map((square, index) =>
    Math.sqrt(Math.max(0, square - (means[index] ?? 0) ** 2)),
  );
  return { mean: means, deviation: spread };
}

/** The mean of each value and those at most `reach` away, in both directions. */
function boxMeans(values: Float32Array, columns: number, rows: number, reach: number): Float32Array {
  const across = new Float32Array(values.length);
  for (let row = 0; row < rows; row += 1) lineMeans(values, across, row * columns, 1, columns, reach);
  const result = new Float32Array(values.length);
  for (let column = 0; column < columns; column += 1) lineMeans(across, result, column, columns, rows, reach);
  return result;
}

function lineMeans(
  from: Float32Array,
  to: Float32Array,
  start: number,
  step: number,
  count: number,
  reach: number,
): void {
  let sum = 0;
  for (let index = 0; index < Math.min(reach, count); index += 1) sum += from[start + index * step] ?? 0;
  for (let index = 0; index < count; index += 1) {
    if (index + reach < count) sum += from[start + (index + reach) * step] ?? 0;
    if (index - reach > 0) sum -= from[start + (index - reach - 1) * step] ?? 0;
    const first = Math.max(0, index - reach);
    const last = Math.min(count - 1, index + reach);
    to[start + index * step] = sum / (last - first + 1);
  }
}
