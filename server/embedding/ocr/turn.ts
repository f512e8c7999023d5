import type { GreyRaster } from "../raster.ts";

/** Turns a grey page clockwise by a number of quarter turns. */
export function turned({ width, height, data }: GreyRaster, quarters: 1 | 2 | 3): GreyRaster {
  if (quarters === 2) return { width, height, channels: 1, data: data.toReversed() };
  const result = new Uint8Array(data.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = quarters === 1 ? x * height + height - 1 - y : (width - 1 - x) * height + y;
      result[at] = data[y * width + x] ?? 0;
    }
  }
  return { width: height, height: width, channels: 1, data: result };
}
