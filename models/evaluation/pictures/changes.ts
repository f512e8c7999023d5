import sharp from "sharp";
import { photograph } from "./photograph.ts";
import type { Random } from "./random.ts";

type Change = (jpeg: Uint8Array, random: Random) => Promise<Uint8Array>;

/** Changes to a page's picture before it is used as a query, by their names in the report. */
export const changes: Record<string, Change> = {
  "as it is": async (jpeg) => jpeg,
  "quality 15": (jpeg) => sharp(jpeg).jpeg({ quality: 15 }).toBuffer(),
  "cut to 80 % of its area, scaled to 50 %, quality 40": (jpeg, random) => cut(jpeg, Math.sqrt(0.8), 0.5, 40, random),
  "cut to 80 % of each side, scaled to 50 %, quality 40": (jpeg, random) => cut(jpeg, 0.8, 0.5, 40, random),
  "scaled to 30 %, quality 40": (jpeg, random) => cut(jpeg, 1, 0.3, 40, random),
  "shifted by up to 4 %": shifted,
  "turned by up to 3°": (jpeg, random) =>
    sharp(jpeg).rotate(random.between(-3, 3), { background: "white" }).jpeg({ quality: 70 }).toBuffer(),
  "photo: ≤ 1.5°, 2.5 % keystone, uneven light, border": (jpeg, random) =>
    photograph(jpeg, { turn: 1.5, keystone: 0.025, fills: [0.85, 0.95] }, random),
  "photo: ≤ 3°, 5 % keystone, uneven light, border": (jpeg, random) =>
    photograph(jpeg, { turn: 3, keystone: 0.05, fills: [0.72, 0.95] }, random),
};

/** Cuts out a random part, scales it down and compresses it. */
async function cut(jpeg: Uint8Array, side: number, scale: number, quality: number, random: Random): Promise<Buffer> {
  const { width, height } = await sharp(jpeg).metadata();
  const part = { width: Math.max(1, Math.round(width * side)), height: Math.max(1, Math.round(height * side)) };
  const left = Math.floor(random.between(0, width - part.width));
  const top = Math.floor(random.between(0, height - part.height));
  const piece = await sharp(jpeg)
    .extract({ left, top, ...part })
    .png({ compressionLevel: 1 })
    .toBuffer();
  return sharp(piece)
    .resize({ width: Math.max(8, Math.round(part.width * scale)) })
    .jpeg({ quality })
    .toBuffer();
}

async function shifted(jpeg: Uint8Array, random: Random): Promise<Buffer> {
  const { width, height } = await sharp(jpeg).metadata();
  const [left, top] = [Math.round(random.between(0, 0.04) * width), Math.round(random.between(0, 0.04) * height)];
  const moved = await sharp(jpeg).extend({ left, top, background: "white" }).png({ compressionLevel: 1 }).toBuffer();
  return sharp(moved).extract({ left: 0, top: 0, width, height }).jpeg({ quality: 70 }).toBuffer();
}
