import type { Raster } from "../raster.ts";

/** One value per pixel, rows from the top; ink is 1 and paper 0. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  readonly data: Float32Array;
}

/** Source pixels that are mixed at once: enough for pages, and much cheaper in one statement than in a loop. */
const atOnce = 5;

/**
 * Returns the picture's ink, scaled by linear interpolation with a triangle as wide as a target pixel, so that shrinking
 * averages. It scales down and then across, row by row, so that no copy of the whole picture is made. White paper is exactly
 * 0; it is most of a page, and the following steps skip it.
 */
export function inkOf(picture: Raster, width: number, height: number): Plane {
  const light = lightOf(picture);
  const starts = inkStarts(picture.width, picture.height, light);
  const rows = mixesOf(picture.height, height);
  const columns = mixesOf(picture.width, width);
  const result = new Float32Array(width * height);
  // Longer than the row, because pixels that are mixed at once may reach beyond it, with weight 0.
  const row = new Float64Array(picture.width + columns.taps);
  for (let y = 0; y < height; y += 1) {
    const top = rows.from[y] ?? 0;
    const end = Math.min(picture.height, top + rows.taps);
    let start = picture.width;
    for (let source = top; source < end; source += 1) start = Math.min(start, starts[source] ?? 0);
    if (start === picture.width) continue;
    row.fill(0);
    for (let tap = 0; tap < rows.taps && top + tap < picture.height; tap += atOnce) {
      addRows(row, light, picture, top + tap, rows.weights, y * rows.taps + tap, start);
    }
    mixAcross(row, columns, result, y * width, width);
  }
  return { width, height, data: result };
}

/** The column at which the ink of each row begins; `width` if there is none. */
function inkStarts(width: number, height: number, light: Uint8Array): Int32Array {
  const starts = new Int32Array(height);
  for (let y = 0; y < height; y += 1) {
    const end = (y + 1) * width;
    let at = y * width;
    while (at < end && light[at] === 255) at += 1;
    starts[y] = at - y * width;
  }
  return starts;
}

/** Adds the weighted ink of the rows from `top` on, right of `from`. Beyond the last row weights are 0. */
function addRows(
  row: Float64Array,
  light: Uint8Array,
  { width, height }: Raster,
  top: number,
  weights: Float64Array,
  first: number,
  from: number,
): void {
  const weight = (tap: number): number => (weights[first + tap] ?? 0) / 255;
  const start = (tap: number): number => Math.min(height - 1, top + tap) * width;
  const [w0, w1, w2, w3, w4] = [weight(0), weight(1), weight(2), weight(3), weight(4)];
  const [s0, s1, s2, s3, s4] = [start(0), start(1), start(2), start(3), start(4)];
  for (let x = from; x < width; x += 1) {
    row[x] =
      (row[x] ?? 0) +
      w0 * (255 - (light[s0 + x] ?? 255)) +
      w1 * (255 - (light[s1 + x] ?? 255)) +
      w2 * (255 - (light[s2 + x] ?? 255)) +
      w3 * (255 - (light[s3 + x] ?? 255)) +
      w4 * (255 - (light[s4 + x] ?? 255));
  }
}

function mixAcross(
  row: Float64Array,
  { taps, from, weights }: Mixes,
  result: Float32Array,
  start: number,
  width: number,
): void {
  for (let x = 0; x < width; x += 1) {
    const end = (x + 1) * taps;
    let at = from[x] ?? 0;
    let sum = 0;
    for (let tap = x * taps; tap < end; tap += atOnce) {
      sum +=
        (weights[tap] ?? 0) * (row[at] ?? 0) +
        (weights[tap + 1] ?? 0) * (row[at + 1] ?? 0) +
        (weights[tap + 2] ?? 0) * (row[at + 2] ?? 0) +
        (weights[tap + 3] ?? 0) * (row[at + 3] ?? 0) +
        (weights[tap + 4] ?? 0) * (row[at + 4] ?? 0);
      at += atOnce;
    }
    result[start + x] = sum;
  }
}

/** Returns the luma by ITU-R BT.601 if the picture has colours. */
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

/** The source pixels of target pixels, and their shares. */
interface Mixes {
  /** The number of weights of each target pixel, a multiple of `atOnce`; the last weights are 0. */
  readonly taps: number;
  /** The first source pixel of each target pixel. */
  readonly from: Int32Array;
  readonly weights: Float64Array;
}

function mixesOf(source: number, target: number): Mixes {
  const scale = source / target;
  const radius = Math.max(1, scale);
  const taps = atOnce * Math.ceil((Math.floor(2 * radius) + 1) / atOnce);
  const mixes = { taps, from: new Int32Array(target), weights: new Float64Array(target * taps) };
  for (let at = 0; at < target; at += 1) {
    const centre = (at + 0.5) * scale - 0.5;
    const from = Math.max(0, Math.ceil(centre - radius));
    const to = Math.min(source - 1, Math.floor(centre + radius));
    const share = (index: number): number => radius - Math.abs(index - centre);
    let total = 0;
    for (let index = from; index <= to; index += 1) total += share(index);
    for (let index = from; index <= to; index += 1) mixes.weights[at * taps + index - from] = share(index) / total;
    mixes.from[at] = from;
  }
  return mixes;
}
