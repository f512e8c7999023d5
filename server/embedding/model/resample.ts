import type { Raster } from "../raster.ts";
import type { ImageInput } from "./inputs.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

type Resampling = ImageInput["resampling"];

/** A weight for each distance from the middle, in pixels of the coarser picture, and its maximum distance. */
interface Kernel {
  readonly reach: number;
  at(distance: number): number;
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

const kernels: Readonly<Record<Exclude<Resampling, "nearest">, Kernel>> = {
  box: { reach: 0.5, at: (x) => (x > -0.5 && x <= 0.5 ? 1 : 0) },
  bilinear: { reach: 1, at: (x) => Math.max(0, 1 - Math.abs(x)) },
  // Keys, "Cubic convolution interpolation for digital image processing" (1981), a = −0.5.
  bicubic: {
    reach: 2,
    at(distance) {
      const x = Math.abs(distance);
      if (x >= 2) return 0;
      return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2;
    },
  },
  lanczos: { reach: 3, at: (x) => (Math.abs(x) < 3 ? sinc(x) * sinc(x / 3) : 0) },
};

/**
 * Resizes a picture, byte for byte as `Image.resize` does in Pillow 13, the library with which models are trained and exported:
 * in one pass across and one down, with weights and sums in whole numbers, and each pass rounded to bytes.
 */
export function resample(picture: Raster, { width, height }: Size, resampling: Resampling): Raster {
  if (resampling === "nearest") return nearest(picture, { width, height });
  const kernel = kernels[resampling];
  const steps = [
    (of: Raster): Raster => (of.width === width ? of : resizeAcross(of, width, kernel)),
    (of: Raster): Raster => (of.height === height ? of : resizeDown(of, height, kernel)),
  ];
  // The pass down comes first if it removes many rows, as in Pillow 13; earlier versions differ here, by 1 of 255.
  const lost = picture.height - height;
  if (lost > 0 && lost > 2 * (picture.width - width)) steps.reverse();
  return steps.reduce((of, step) => step(of), picture);
}

/** A weight has 22 fractional bits, as in Pillow: of 32 bits, this leaves 8 for the value and 2 for overshoot. */
const one = 2 ** 22;

/** The source pixels of a target pixel, and their weights as parts of `one`. */
interface Mix {
  readonly from: number;
  readonly weights: Int32Array;
}

function mixes(source: number, target: number, { reach, at }: Kernel): Mix[] {
  const scale = source / target;
  const stretch = Math.max(1, scale);
  const radius = reach * stretch;
  return Array.from({ length: target }, (_, index) => {
    const centre = (index + 0.5) * scale;
    const from = Math.max(0, Math.trunc(centre - radius + 0.5));
    const to = Math.min(source, Math.trunc(centre + radius + 0.5));
    // A product, not a quotient: the last bit decides how ties between two values are rounded.
    const shares = Array.from({ length: to - from }, (_unused, tap) => at((from + tap - centre + 0.5) * (1 / stretch)));
    const total = shares.reduce((sum, share) => sum + share, 0);
    return { from, weights: Int32Array.from(shares, (share) => roundAway((share / total) * one)) };
  });
}

const roundAway = (value: number): number => Math.trunc(value + (value < 0 ? -0.5 : 0.5));
const toByte = (sum: number): number => Math.min(255, Math.max(0, Math.floor((sum + one / 2) / one)));

function resizeAcross({ width, height, channels, data }: Raster, target: number, kernel: Kernel): Raster {
  const result = new Uint8Array(target * height * channels);
  const columns = mixes(width, target, kernel);
  for (let y = 0; y < height; y += 1) {
    let to = y * target * channels;
    for (const { from, weights } of columns) {
      const start = (y * width + from) * channels;
      for (let channel = 0; channel < channels; channel += 1) {
        let sum = 0;
        for (let tap = 0; tap < weights.length; tap += 1) {
          sum += (weights[tap] ?? 0) * (data[start + tap * channels + channel] ?? 0);
        }
        result[to] = toByte(sum);
        to += 1;
      }
    }
  }
  return { width: target, height, channels, data: result };
}

function resizeDown({ width, height, channels, data }: Raster, target: number, kernel: Kernel): Raster {
  const row = width * channels;
  const result = new Uint8Array(row * target);
  const sums = new Float64Array(row);
  for (const [y, { from, weights }] of mixes(height, target, kernel).entries()) {
    sums.fill(0);
    for (let tap = 0; tap < weights.length; tap += 1) {
      const weight = weights[tap] ?? 0;
      const start = (from + tap) * row;
      for (let x = 0; x < row; x += 1) sums[x] = (sums[x] ?? 0) + weight * (data[start + x] ?? 0);
    }
    for (let x = 0; x < row; x += 1) result[y * row + x] = toByte(sums[x] ?? 0);
  }
  return { width, height: target, channels, data: result };
}

function nearest({ width, height, channels, data }: Raster, to: Size): Raster {
  const result = new Uint8Array(to.width * to.height * channels);
  const columns = middles(width, to.width);
  let at = 0;
  for (const y of middles(height, to.height)) {
    for (const x of columns) {
      const pixel = (y * width + x) * channels;
      for (let channel = 0; channel < channels; channel += 1, at += 1) result[at] = data[pixel + channel] ?? 0;
    }
  }
  return { ...to, channels, data: result };
}

/** The source pixels under the middles of the target pixels; the scale is added step by step, so that ties round as in Pillow. */
function middles(source: number, target: number): number[] {
  const scale = source / target;
  let place = scale / 2;
  return Array.from({ length: target }, () => {
    const pixel = Math.min(source - 1, Math.trunc(place));
    place += scale;
    return pixel;
  });
}
