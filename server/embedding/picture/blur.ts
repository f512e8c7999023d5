import type { Plane } from "./plane.ts";

/** In pixels: wide enough to blur letters into words where a line of small print is four pixels high. */
const sigma = 1.4;
/** About three sigmas; the rest is noise. */
const reach = 4;

/** Weights of the pixel itself and of those 1, 2, 3 and 4 pixels away on either side. */
const weights = gaussian();

/** Applies a Gaussian blur, which merges letters into words; the plane's edge pixels are repeated beyond its edges. */
export function blur(plane: Plane): Plane {
  const inked = inkedRows(plane);
  return blurDown(blurAcross(plane, inked), inked);
}

function gaussian(): readonly [number, number, number, number, number] {
  const weight = (away: number): number => Math.exp(-(away ** 2) / (2 * sigma * sigma));
  const total = weight(0) + 2 * (weight(1) + weight(2) + weight(3) + weight(4));
  return [weight(0) / total, weight(1) / total, weight(2) / total, weight(3) / total, weight(4) / total];
}

/** 1 for rows that have ink. */
function inkedRows({ width, height, data }: Plane): Uint8Array {
  const inked = new Uint8Array(height);
  for (let y = 0; y < height; y += 1) {
    const end = (y + 1) * width;
    let at = y * width;
    while (at < end && data[at] === 0) at += 1;
    inked[y] = at < end ? 1 : 0;
  }
  return inked;
}

function blurAcross({ width, height, data }: Plane, inked: Uint8Array): Plane {
  const [w0, w1, w2, w3, w4] = weights;
  const result = new Float32Array(data.length);
  const row = new Float32Array(width + 2 * reach);
  for (let y = 0; y < height; y += 1) {
    if (inked[y] === 0) continue;
    const start = y * width;
    row.fill(data[start] ?? 0, 0, reach);
    row.set(data.subarray(start, start + width), reach);
    row.fill(data[start + width - 1] ?? 0, reach + width);
    for (let x = 0; x < width; x += 1) {
      result[start + x] =
        w0 * (row[x + 4] ?? 0) +
        w1 * ((row[x + 3] ?? 0) + (row[x + 5] ?? 0)) +
        w2 * ((row[x + 2] ?? 0) + (row[x + 6] ?? 0)) +
        w3 * ((row[x + 1] ?? 0) + (row[x + 7] ?? 0)) +
        w4 * ((row[x] ?? 0) + (row[x + 8] ?? 0));
    }
  }
  return { width, height, data: result };
}

function blurDown({ width, height, data }: Plane, inked: Uint8Array): Plane {
  const [w0, w1, w2, w3, w4] = weights;
  const result = new Float32Array(data.length);
  for (let y = 0; y < height; y += 1) {
    if (!inked.subarray(Math.max(0, y - reach), y + reach + 1).includes(1)) continue;
    const start = y * width;
    const row = (away: number): number => Math.max(0, Math.min(height - 1, y + away)) * width;
    const [up1, up2, up3, up4] = [row(-1), row(-2), row(-3), row(-4)];
    const [down1, down2, down3, down4] = [row(1), row(2), row(3), row(4)];
    for (let x = 0; x < width; x += 1) {
      result[start + x] =
        w0 * (data[start + x] ?? 0) +
        w1 * ((data[up1 + x] ?? 0) + (data[down1 + x] ?? 0)) +
        w2 * ((data[up2 + x] ?? 0) + (data[down2 + x] ?? 0)) +
        w3 * ((data[up3 + x] ?? 0) + (data[down3 + x] ?? 0)) +
        w4 * ((data[up4 + x] ?? 0) + (data[down4 + x] ?? 0));
    }
  }
  return { width, height, data: result };
}
