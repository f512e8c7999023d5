import type { Raster } from "../../raster.ts";

/**
 * Test data: a page of lines of word-sized blobs in ragged paragraphs, different for each seed. A seed gives the same page at
 * any size, drawn with soft edges as renderers do.
 */
export function drawPage(seed: number, height = 448): Raster {
  const width = Math.round(height / Math.SQRT2);
  const ink = new Float32Array(width * height);
  const random = generator(seed);
  for (let y = 0.1; y < 0.9; y += 0.0165) {
    const end = random() < 0.25 ? 0.15 + 0.7 * random() : 0.88;
    if (random() < 0.08) continue;
    for (let x = 0.12; x < end;) {
      const length = 0.012 + 0.075 * random();
      fillBox({ ink, width, height }, x, y, Math.min(end, x + length), y + 0.009);
      x += length + 0.012;
    }
  }
  return { width, height, channels: 1, data: Uint8Array.from(ink, (value) => Math.round(255 * (1 - 0.8 * value))) };
}

/** Cuts out a part of a picture, in shares of its width and height. */
export function cropPicture(picture: Raster, left: number, top: number, right: number, bottom: number): Raster {
  const x = Math.round(left * picture.width);
  const y = Math.round(top * picture.height);
  const width = Math.round(right * picture.width) - x;
  const height = Math.round(bottom * picture.height) - y;
  const data = new Uint8Array(width * height);
  for (let row = 0; row < height; row += 1) {
    const from = (y + row) * picture.width + x;
    data.set(picture.data.subarray(from, from + width), row * width);
  }
  return { width, height, channels: 1, data };
}

/**
 * Draws the picture as a camera sees it on a darker table: turned by `turn` (radians, clockwise), with the right side a
 * little farther away and less light towards the lower right.
 */
export function photograph(picture: Raster, turn: number): Raster {
  const [width, height] = [Math.round(picture.width * 1.3), Math.round(picture.height * 1.3)];
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [across, down] = [x - width / 2, y - height / 2];
      const away = 1 + 0.06 * (across / width);
      const px = (across * Math.cos(turn) + down * Math.sin(turn)) * away + picture.width / 2;
      const py = (down * Math.cos(turn) - across * Math.sin(turn)) * away + picture.height / 2;
      const isPage = px >= 0 && py >= 0 && px < picture.width && py < picture.height;
      const light = 1 - 0.15 * (x / width) - 0.15 * (y / height);
      const seen = isPage ? (picture.data[Math.floor(py) * picture.width + Math.floor(px)] ?? 255) : 90 + ((x * 7) % 9);
      data[y * width + x] = Math.round(seen * light);
    }
  }
  return { width, height, channels: 1, data };
}

interface Sheet {
  readonly ink: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** Gives each pixel as much ink as the share of it that the box covers. */
function fillBox({ ink, width, height }: Sheet, left: number, top: number, right: number, bottom: number): void {
  const covered = (from: number, to: number, at: number): number =>
    Math.max(0, Math.min(to, at + 1) - Math.max(from, at));
  for (let y = Math.floor(top * height); y < bottom * height; y += 1) {
    for (let x = Math.floor(left * width); x < right * width; x += 1) {
      const share = covered(top * height, bottom * height, y) * covered(left * width, right * width, x);
      ink[y * width + x] = Math.min(1, (ink[y * width + x] ?? 0) + share);
    }
  }
}

function generator(seed: number): () => number {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
