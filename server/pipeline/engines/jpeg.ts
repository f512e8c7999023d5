import sharp from "sharp";

// The pool's threads already run in parallel, and no picture is encoded twice, so a cache is of no use.
sharp.concurrency(1);
sharp.cache(false);

/** The lowest quality without ringing around text; a higher one costs bytes and shows nothing new. */
export const jpegQuality = 82;

/** A rendered page: rows from the top, four bytes per pixel: red, green, blue and an unused one. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

/** Encodes a rendered page. A page without colour is encoded in grey, which is a third smaller and twice as fast. */
export async function encodeJpeg({ width, height, data }: Canvas): Promise<Uint8Array> {
  const colour = hasColour(data);
  // The unused byte is dropped as if it were an alpha channel, which sharp does faster than a loop in JavaScript.
  const picture = colour
    ? sharp(data, { raw: { width, height, channels: 4 } }).removeAlpha()
    : sharp(pick(data), { raw: { width, height, channels: 1 } }).toColourspace("b-w");
  return picture.jpeg({ quality: jpegQuality, optimiseCoding: false }).toBuffer();
}

/** Whether any pixel is not grey. */
export function hasColour(data: Uint8Array): boolean {
  if (data.byteOffset % 4 === 0) {
    const words = new Uint32Array(data.buffer, data.byteOffset, data.length >> 2);
    // Xor with itself shifted by one byte compares red with green and green with blue at once.
    // A loop by index: iterating typed arrays is ten times slower, and there are millions of pixels.
    for (let at = 0; at < words.length; at += 1) {
      const word = words[at] ?? 0;
      if (((word ^ (word >>> 8)) & 0xffff) !== 0) return true;
    }
    return false;
  }
  for (let at = 0; at < data.length; at += 4) {
    if (data[at] !== data[at + 1] || data[at + 1] !== data[at + 2]) return true;
  }
  return false;
}

/** Converts RGBX to RGB. */
export function dropFourth(data: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((data.length >> 2) * 3);
  for (let from = 0, to = 0; from < data.length; from += 4, to += 3) {
    rgb[to] = data[from] ?? 0;
    rgb[to + 1] = data[from + 1] ?? 0;
    rgb[to + 2] = data[from + 2] ?? 0;
  }
  return rgb;
}

/** Converts grey RGBX to grey. */
function pick(data: Uint8Array): Uint8Array {
  const grey = new Uint8Array(data.length >> 2);
  for (let from = 0, to = 0; from < data.length; from += 4, to++) grey[to] = data[from] ?? 0;
  return grey;
}

/** Converts RGBX to grey with the weights of ITU-R BT.601, as JPEG and PDFium do. */
export function toGrey(data: Uint8Array): Uint8Array {
  const grey = new Uint8Array(data.length >> 2);
  for (let from = 0, to = 0; from < data.length; from += 4, to++) {
    grey[to] = Math.round(0.299 * (data[from] ?? 0) + 0.587 * (data[from + 1] ?? 0) + 0.114 * (data[from + 2] ?? 0));
  }
  return grey;
}
