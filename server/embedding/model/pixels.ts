import type { Raster } from "../raster.ts";
import type { FittedPicture } from "./fit.ts";
import type { Floats } from "./graph.ts";
import type { ImageInput } from "./inputs.ts";

/** Converts any picture to three channels, red first. */
export function inColour({ width, height, channels, data }: Raster): Raster {
  if (channels === 3) return { width, height, channels, data };
  const result = new Uint8Array(width * height * 3);
  data.forEach((value, pixel) => result.fill(value, pixel * 3, pixel * 3 + 3));
  return { width, height, channels: 3, data: result };
}

/** Whether the whole picture has one colour. */
export function isBlank({ channels, data }: Raster): boolean {
  return data.every((value, index) => value === data[index % channels]);
}

/** The numbers that a graph takes: [1, …] in its layout, or [1, tiles, …] with tiles; mean and std are in the order of the graph's channels. */
export function pixelsOf({ views }: FittedPicture, settings: ImageInput): Floats {
  const { size, layout, fit } = settings;
  const perView = size.width * size.height * 3;
  const values = new Float32Array(views.length * perView);
  views.forEach((view, index) => fill(values.subarray(index * perView, (index + 1) * perView), view, settings));
  const one = layout === "NCHW" ? [3, size.height, size.width] : [size.height, size.width, 3];
  return { values, shape: fit.mode === "tiles" ? [1, views.length, ...one] : [1, ...one] };
}

function fill(values: Float32Array, { data }: Raster, { rescale, mean, std, layout, channels }: ImageInput): void {
  const pixels = data.length / 3;
  for (let channel = 0; channel < 3; channel += 1) {
    const source = channels === "RGB" ? channel : 2 - channel;
    const centre = mean[channel] ?? 0;
    const spread = std[channel] ?? 1;
    for (let pixel = 0; pixel < pixels; pixel += 1) {
      const at = layout === "NCHW" ? channel * pixels + pixel : pixel * 3 + channel;
      values[at] = ((data[pixel * 3 + source] ?? 0) * rescale - centre) / spread;
    }
  }
}
