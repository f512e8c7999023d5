/** Resolution of page pictures, at which the body text of a printed page is crisp on a screen and for a model. */
export const jpegDotsPerInch = 150;
/** Maximum longer side in pixels. Posters and plans are scaled down to it, because models scale page pictures down anyway. */
export const jpegMaxLongSide = 2400;

/** A size in pixels, at least 1 in each direction. */
export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** Whether the JPEG of a page with this size in points reaches the maximum longer side. */
export function isLarge(width: number, height: number): boolean {
  return (Math.max(width, height) * jpegDotsPerInch) / 72 >= jpegMaxLongSide;
}

/** Returns the size of the standard JPEG of a page with this size in points. Undefined if the page has no size. */
export function jpegSize(width: number, height: number): PixelSize | undefined {
  const longSide = Math.min(jpegMaxLongSide, Math.round((Math.max(width, height) * jpegDotsPerInch) / 72));
  return fitLongSide(width, height, longSide);
}

/** Maximum pixels of a picture that is requested by its width: that of four A4 pages below each other. */
const maxPixels = 12e6;
/** Maximum side that JPEG and readers of pictures support. */
const maxSide = 16_000;

/**
 * Returns the size with the given width in pixels, in the page's proportions; narrower if the page is so long that there would be
 * too many pixels. Undefined if the page has no size.
 */
export function fitWidth(width: number, height: number, pixels: number): PixelSize | undefined {
  if (!(width > 0 && height > 0 && Number.isFinite(width) && Number.isFinite(height))) return undefined;
  const scale = Math.min(pixels / width, maxSide / height, Math.sqrt(maxPixels / width / height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/**
 * Returns the size whose longer side is `longSide`, in the page's proportions, so that at most `longSide` squared pixels are
 * drawn, whatever the page's shape. Undefined if the page has no size.
 */
export function fitLongSide(width: number, height: number, longSide: number): PixelSize | undefined {
  if (!(width > 0 && height > 0 && Number.isFinite(width) && Number.isFinite(height))) return undefined;
  const scale = longSide / Math.max(width, height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
