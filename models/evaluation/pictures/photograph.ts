import sharp from "sharp";
import type { Random } from "./random.ts";

interface Camera {
  /** The maximum rotation in degrees, either way. */
  readonly turn: number;
  /** The maximum displacement of a corner, as a fraction of half the page's side. */
  readonly keystone: number;
  /** The share of the picture that the page fills, along the tighter side. */
  readonly fills: readonly [number, number];
}

/** Pixels of the longer side of the page, and of the photo. */
const pageSide = 1100;
const photoSide = 1200;

/** Renders a page like a phone's photo of it on a table: turned, in perspective, unevenly lit, with grain, compressed. */
export async function photograph(jpeg: Uint8Array, camera: Camera, random: Random): Promise<Buffer> {
  const { data, info } = await sharp(jpeg)
    .resize({ width: pageSide, height: pageSide, fit: "inside" })
    .toColourspace("b-w")
    .raw()
    .toBuffer({ resolveWithObject: true });
  const page = { width: info.width, height: info.height };
  const isTall = page.height >= page.width;
  const width = isTall ? photoSide * 0.75 : photoSide;
  const height = isTall ? photoSide : photoSide * 0.75;
  const locate = lens(page, width, height, camera, random);
  const table = random.between(40, 180);
  const light = {
    min: random.between(0.55, 0.8),
    max: random.between(0.9, 1.05),
    across: random.between(-1, 1),
    down: random.between(-1, 1),
  };
  const grain = random.between(3, 14);
  const photo = Buffer.alloc(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = locate(x, y);
      const isPage = at.x >= 0 && at.y >= 0 && at.x < page.width - 1 && at.y < page.height - 1;
      const seen = isPage
        ? 0.93 * between(data, page.width, at.x, at.y) + random.between(-4, 9)
        : table + 10 * Math.sin(x * 0.05 + y * 0.02) + random.between(-grain, grain);
      const share = (x / width - 0.5) * light.across + (y / height - 0.5) * light.down + 0.5;
      const bright = light.min + (light.max - light.min) * Math.max(0, Math.min(1, share));
      photo[y * width + x] = Math.max(0, Math.min(255, seen * bright));
    }
  }
  return sharp(photo, { raw: { width, height, channels: 1 } })
    .blur(0.7)
    .jpeg({ quality: 75 })
    .toBuffer();
}

/** Maps a point of the photo to the page: a projective map close to the identity. */
function lens(
  page: { width: number; height: number },
  width: number,
  height: number,
  { turn, keystone, fills }: Camera,
  random: Random,
): (x: number, y: number) => { x: number; y: number } {
  const scale = random.between(...fills) * Math.min(width / page.width, height / page.height);
  const angle = (random.between(-turn, turn) * Math.PI) / 180;
  const centre = {
    x: width / 2 + random.between(-0.3, 0.3) * (width - page.width * scale),
    y: height / 2 + random.between(-0.3, 0.3) * (height - page.height * scale),
  };
  const shear = random.between(-keystone, keystone) / 2;
  const away = { x: random.between(-keystone, keystone), y: random.between(-keystone, keystone) };
  return (x, y) => {
    const [across, down] = [(x - centre.x) / scale, (y - centre.y) / scale];
    const depth = 1 + (away.x * across) / (page.width / 2) + (away.y * down) / (page.height / 2);
    const [u, v] = [
      across * Math.cos(angle) + down * Math.sin(angle),
      down * Math.cos(angle) - across * Math.sin(angle),
    ];
    return { x: (u + shear * v) / depth + page.width / 2, y: v / depth + page.height / 2 };
  };
}

function between(data: Uint8Array, width: number, x: number, y: number): number {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [right, below] = [x - left, y - top];
  const at = top * width + left;
  const upper = (data[at] ?? 255) * (1 - right) + (data[at + 1] ?? 255) * right;
  const lower = (data[at + width] ?? 255) * (1 - right) + (data[at + width + 1] ?? 255) * right;
  return upper * (1 - below) + lower * below;
}
