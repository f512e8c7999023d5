import type { Raster } from "../raster.ts";
import { resample, type Size } from "./resample.ts";
import type { ImageInput } from "./inputs.ts";
import type { Floats } from "./graph.ts";

/**
 * A picture in the form that a model expects: one view of the model's size, or its tiles row by row and then the whole picture.
 */
export interface FittedPicture {
  readonly views: readonly Raster[];
  /** 0 if there are no tiles. */
  readonly rows: number;
  readonly columns: number;
}

/** Strips longer than this many times their width are cut before they are scaled, which bounds the number of pixels. */
const maxAspect = 32;

/** Scales a picture to the size that the model expects. */
export function fitPicture(picture: Raster, { size, fit, resampling }: ImageInput): FittedPicture {
  const scaled = (of: Raster, to: Size): Raster => resample(of, to, resampling);
  switch (fit.mode) {
    case "squash":
      return single(scaled(picture, size));
    case "shortest-side-crop": {
      const strip = cutMiddle(picture, notTooLong(picture));
      return single(cutMiddle(scaled(strip, shortestSide(strip, fit.side)), size));
    }
    case "longest-side-pad": {
      const scale = Math.min(size.width / picture.width, size.height / picture.height);
      const inner = scaled(picture, {
        width: Math.min(size.width, Math.max(1, Math.round(picture.width * scale))),
        height: Math.min(size.height, Math.max(1, Math.round(picture.height * scale))),
      });
      return single(placeOn(inner, size, fit.fill, fit.place));
    }
    case "tiles": {
      const whole = scaled(picture, evenLongSide(picture, fit.longSide));
      const grid = wholeTiles(whole, size.width);
      const stretched = scaled(whole, { width: grid.columns * size.width, height: grid.rows * size.height });
      if (grid.rows * grid.columns === 1) return single(stretched);
      const tiles = Array.from({ length: grid.rows * grid.columns }, (_, index) =>
        cut(stretched, (index % grid.columns) * size.width, Math.floor(index / grid.columns) * size.height, size),
      );
      return { views: [...tiles, scaled(stretched, size)], ...grid };
    }
  }
}

const single = (view: Raster): FittedPicture => ({ views: [view], rows: 0, columns: 0 });

function notTooLong({ width, height }: Size): Size {
  return { width: Math.min(width, height * maxAspect), height: Math.min(height, width * maxAspect) };
}

/** Returns the size whose shorter side is `side`. The longer side is rounded down, as by the image processors of Hugging Face. */
function shortestSide({ width, height }: Size, side: number): Size {
  const long = Math.trunc((side * Math.max(width, height)) / Math.min(width, height));
  return width <= height ? { width: side, height: long } : { width: long, height: side };
}

/**
 * Returns the size to which Idefics 3 scales a picture before it is cut: the shorter side is rounded down, then up to an even
 * number.
 */
function evenLongSide({ width, height }: Size, longSide: number): Size {
  const even = (value: number): number => Math.max(1, Math.trunc(value) + (Math.trunc(value) % 2));
  const ratio = width / height;
  return width >= height
    ? { width: longSide, height: even(longSide / ratio) }
    : { width: even(longSide * ratio), height: longSide };
}

function wholeTiles({ width, height }: Size, tile: number): { rows: number; columns: number } {
  const ratio = width / height;
  const count = (value: number): number => Math.max(1, Math.ceil(value / tile));
  if (width >= height) {
    const columns = count(width);
    return { columns, rows: count(Math.trunc((columns * tile) / ratio)) };
  }
  const rows = count(height);
  return { rows, columns: count(Math.trunc(rows * tile * ratio)) };
}

function cutMiddle(picture: Raster, size: Size): Raster {
  const left = Math.floor((picture.width - size.width) / 2);
  return cut(picture, left, Math.floor((picture.height - size.height) / 2), size);
}

function cut({ width, channels, data }: Raster, left: number, top: number, size: Size): Raster {
  const row = size.width * channels;
  const result = new Uint8Array(row * size.height);
  for (let y = 0; y < size.height; y += 1) {
    const from = ((top + y) * width + left) * channels;
    result.set(data.subarray(from, from + row), y * row);
  }
  return { ...size, channels, data: result };
}

function placeOn(
  { width, height, channels, data }: Raster,
  size: Size,
  fill: readonly number[],
  place: "centre" | "start",
): Raster {
  const result = Uint8Array.from(
    { length: size.width * size.height * channels },
    (_, index) => fill[index % channels] ?? 0,
  );
  const left = place === "start" ? 0 : Math.floor((size.width - width) / 2);
  const top = place === "start" ? 0 : Math.floor((size.height - height) / 2);
  const row = width * channels;
  for (let y = 0; y < height; y += 1) {
    result.set(data.subarray(y * row, (y + 1) * row), ((top + y) * size.width + left) * channels);
  }
  return { ...size, channels, data: result };
}

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

/**
 * Returns the numbers that a graph takes: [1, …] in its layout, or [1, tiles, …] with tiles; mean and std are in the order of the
 * graph's channels.
 */
export function pixelsOf({ views }: FittedPicture, settings: ImageInput): Floats {
  const { size, layout, fit } = settings;
  const perView = size.width * size.height * 3;
  const values = new Float32Array(views.length * perView);
  views.forEach((view, index) => normalise(values.subarray(index * perView, (index + 1) * perView), view, settings));
  const one = layout === "NCHW" ? [3, size.height, size.width] : [size.height, size.width, 3];
  return { values, shape: fit.mode === "tiles" ? [1, views.length, ...one] : [1, ...one] };
}

function normalise(values: Float32Array, { data }: Raster, { rescale, mean, std, layout, channels }: ImageInput): void {
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
