import sharp, { type Sharp } from "sharp";
import { FINALIZER, introducer, sixelEncode } from "sixel";

/** Colours of today's terminals; the standard allows no more. */
const colours = 256;

/** Returns a picture as sixels. Its colours are chosen for it and not dithered, so that letters stay clean. */
export async function sixelSequence(picture: Sharp): Promise<string> {
  const reduced = await picture.png({ palette: true, colours, dither: 0 }).toBuffer();
  const { data, info } = await sharp(reduced).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  const palette = new Map<number, [number, number, number]>();
  for (let at = 0; at < data.length; at += 4) {
    const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
    palette.set((red << 16) | (green << 8) | blue, [red, green, blue]);
  }
  return introducer(1) + sixelEncode(data, info.width, info.height, [...palette.values()]) + FINALIZER;
}
