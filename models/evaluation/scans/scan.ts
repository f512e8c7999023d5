import type { Random } from "./random.ts";

/** A page's picture in grey. */
export interface Grey {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

const steepestDegrees = 1.5;

/** Renders a page as a scanner does: askew by up to 1.5°, noisy, unevenly lit, compressed. Returns a grey JPEG. */
export async function scanned({ width, height, data }: Grey, random: Random): Promise<Uint8Array> {
  const { default: sharp } = await import("sharp");
  const degrees = (2 * random.next() - 1) * steepestDegrees;
  const turned = await sharp(data, { raw: { width, height, channels: 1 } })
    .rotate(degrees, { background: "white" })
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true });
  const left = Math.max(0, Math.floor((turned.info.width - width) / 2));
  const top = Math.max(0, Math.floor((turned.info.height - height) / 2));
  const cut = await sharp(turned.data, { raw: { width: turned.info.width, height: turned.info.height, channels: 1 } })
    .extract({ left, top, width, height })
    .blur(0.3 + 0.6 * random.next())
    .toColourspace("b-w")
    .raw()
    .toBuffer();
  const ink = 20 + 60 * random.next();
  const light = 215 + 40 * random.next();
  const shade = 25 * random.next();
  const noise = 3 + 7 * random.next();
  const page = cut.map((value, index) => {
    const lit = light - (shade * (index % width)) / width;
    const grey = ink + ((lit - ink) * value) / 255 + noise * random.normal();
    return Math.max(0, Math.min(255, grey));
  });
  const quality = Math.round(40 + 40 * random.next());
  return sharp(page, { raw: { width, height, channels: 1 } })
    .toColourspace("b-w")
    .jpeg({ quality })
    .toBuffer();
}
