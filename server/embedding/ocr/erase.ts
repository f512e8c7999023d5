import type { Raster } from "../raster.ts";

/** A part of a page, in fractions of its width and height from the upper left. */
interface PagePart {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Margin that is also erased, as a share of the part's height: the invisible text under a scan is not placed exactly. */
const margin = 0.15;

/** Returns a page's picture without these parts, such as known letters: each is filled with the shade to its left. */
export function withoutParts({ width, height, channels, data }: Raster, parts: Iterable<PagePart>): Raster {
  const erased = data.slice();
  for (const part of parts) {
    const beyond = margin * (part.bottom - part.top) * height;
    const left = Math.max(0, Math.floor(part.left * width - beyond));
    const right = Math.min(width, Math.ceil(part.right * width + beyond));
    const top = Math.max(0, Math.floor(part.top * height - beyond));
    const bottom = Math.min(height, Math.ceil(part.bottom * height + beyond));
    if (right <= left || bottom <= top) continue;
    const beside = (((top + bottom) >> 1) * width + Math.max(0, left - 1)) * channels;
    const shade = erased.slice(beside, beside + channels);
    for (let y = top; y < bottom; y += 1) {
      for (let x = left; x < right; x += 1) erased.set(shade, (y * width + x) * channels);
    }
  }
  return { width, height, channels, data: erased };
}
