/** 150 dots per inch is where body text of a printed page is crisp on a screen and to a model. */
const jpegDotsPerInch = 150;
/** Posters and plans come smaller: what reads pictures of pages scales them down to less. */
const jpegMaxLongSide = 2400;

/** Pixels, at least 1 each way. */
export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** Whether the JPEG of a page of so many points is as large as JPEGs get. */
export function isLarge(width: number, height: number): boolean {
  return (Math.max(width, height) * jpegDotsPerInch) / 72 >= jpegMaxLongSide;
}

/** How large the shared JPEG of a page is that measures so many points. Undefined: the page has no size. */
export function jpegSize(width: number, height: number): PixelSize | undefined {
  const longSide = Math.min(jpegMaxLongSide, Math.round((Math.max(width, height) * jpegDotsPerInch) / 72));
  return fitLongSide(width, height, longSide);
}

/** Of a picture that is asked for by its width: four pages of A4 below each other. */
const maxPixels = 12e6;
/** What JPEG can have and readers of pictures take. */
const maxSide = 16_000;

/**
 * The size of so many pixels' width, in the page's proportions; narrower where the page is so long that there would be too
 * many pixels. Undefined: the page has no size.
 */
export function fitWidth(width: number, height: number, wanted: number): PixelSize | undefined {
  if (!(width > 0 && height > 0 && Number.isFinite(width) && Number.isFinite(height))) return undefined;
  const scale = Math.min(wanted / width, maxSide / height, Math.sqrt(maxPixels / width / height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/**
 * The size whose longer side is `longSide`, in the page's proportions. However the page is shaped, no more than
 * `longSide` squared pixels are ever drawn. Undefined: the page has no size.
 */
export function fitLongSide(width: number, height: number, longSide: number): PixelSize | undefined {
  if (!(width > 0 && height > 0 && Number.isFinite(width) && Number.isFinite(height))) return undefined;
  const scale = longSide / Math.max(width, height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
