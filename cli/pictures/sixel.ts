import sharp, { type Sharp } from "sharp";
import { FINALIZER, introducer, sixelEncode } from "sixel";

/** What the terminals of today have; the standard allows no more. */
const colours = 256;

/** A picture of these pixels as sixels. Its colours are chosen for it and not mixed: letters stay clean. */
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
