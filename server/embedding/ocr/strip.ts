import type { GreyRaster } from "../raster.ts";
import type { Line } from "./lines.ts";

/** A line as the recogniser's input: rows of values from 0 to 1, where ink is 1. */
export interface Strip {
  readonly width: number;
  readonly data: Float32Array;
}

/** Margins around the letters, as shares of their height: the recogniser was trained with about the same. */
const margin = 0.1;
const sideMargin = 0.25;
/**
 * The darkest hundredth of the pixels sets the shade of ink, and the lightest fifth that of paper. With less contrast than this
 * there is no ink.
 */
const darkShare = 0.01;
const lightShare = 0.8;
const minContrast = 24;
const minWidth = 8;
/** Maximum width in strip heights; a line across a sheet of small print is half as wide. */
const maxAspect = 130;

/** Cuts a line out of a grey page and scales it to `height` rows, straightened and stretched in contrast. */
export function stripOf(page: GreyRaster, line: Line, height: number): Strip {
  const tall = Math.max(1, line.bottom - line.top);
  const top = line.top - margin * tall;
  const left = Math.max(0, Math.floor(line.left - sideMargin * tall));
  const right = Math.min(page.width, Math.ceil(line.right + sideMargin * tall));
  const scale = (tall * (1 + 2 * margin)) / height;
  const width = Math.max(minWidth, Math.min(maxAspect * height, Math.round((right - left) / scale)));
  const upright = scaleDown(page, line, { top, left, right }, scale, height);
  return { width, data: stretched(scaleAcross(upright, right - left, width, height)) };
}

/** The source pixels of one target pixel, and their shares, which add up to 1. */
interface Mix {
  readonly from: number;
  readonly shares: readonly number[];
}

/** Linear interpolation with a triangle at least as wide as a target pixel, so that shrinking averages. */
function mixOf(target: number, scale: number, offset: number): Mix {
  const radius = Math.max(1, scale);
  const centre = offset + (target + 0.5) * scale - 0.5;
  const from = Math.ceil(centre - radius);
  const to = Math.floor(centre + radius);
  const weights = Array.from({ length: to - from + 1 }, (_, tap) =>
    Math.max(0, radius - Math.abs(from + tap - centre)),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return { from, shares: weights.map((weight) => weight / total) };
}

/** Moves each column by the line's slope, and scales the line to `height` rows. */
function scaleDown(
  { width: pageWidth, height: pageHeight, data }: GreyRaster,
  { slope, left: origin }: Line,
  { top, left, right }: { top: number; left: number; right: number },
  scale: number,
  height: number,
): Float32Array {
  const width = right - left;
  const result = new Float32Array(width * height);
  const shifts = Int32Array.from({ length: width }, (_, x) => Math.round(slope * (left + x - origin)));
  for (let row = 0; row < height; row += 1) {
    const { from, shares } = mixOf(row, scale, top);
    for (let tap = 0; tap < shares.length; tap += 1) {
      const share = shares[tap] ?? 0;
      for (let x = 0; x < width; x += 1) {
        const y = Math.max(0, Math.min(pageHeight - 1, from + tap + (shifts[x] ?? 0)));
        const at = row * width + x;
        result[at] = (result[at] ?? 0) + share * (data[y * pageWidth + left + x] ?? 0);
      }
    }
  }
  return result;
}

function scaleAcross(source: Float32Array, sourceWidth: number, width: number, height: number): Float32Array {
  const result = new Float32Array(width * height);
  for (let column = 0; column < width; column += 1) {
    const { from, shares } = mixOf(column, sourceWidth / width, 0);
    for (let tap = 0; tap < shares.length; tap += 1) {
      const share = shares[tap] ?? 0;
      const x = Math.max(0, Math.min(sourceWidth - 1, from + tap));
      for (let row = 0; row < height; row += 1) {
        const at = row * width + column;
        result[at] = (result[at] ?? 0) + share * (source[row * sourceWidth + x] ?? 0);
      }
    }
  }
  return result;
}

/** Stretches paper and ink to 0 and 1, and inverts light letters on a dark background. */
function stretched(values: Float32Array): Float32Array {
  const counts = new Uint32Array(256);
  for (let index = 0; index < values.length; index += 1) {
    const value = Math.round(values[index] ?? 0);
    counts[value] = (counts[value] ?? 0) + 1;
  }
  const at = (share: number): number => {
    let before = 0;
    return counts.findIndex((count) => (before += count) > share * values.length);
  };
  const isDarkGround = at(0.5) - at(darkShare) < at(1 - darkShare) - at(0.5);
  const ink = isDarkGround ? at(1 - darkShare) : at(darkShare);
  const paper = isDarkGround ? at(1 - lightShare) : at(lightShare);
  const spread = Math.max(minContrast, Math.abs(paper - ink)) * (isDarkGround ? -1 : 1);
  return values.map((value) => Math.max(0, Math.min(1, (paper - value) / spread)));
}
