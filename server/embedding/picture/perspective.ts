import type { Raster } from "../raster.ts";

/** A point in fractional pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The corners of a quadrilateral, clockwise from the upper left. */
export type Quad = readonly [Point, Point, Point, Point];

/** Maps the content of the quadrilateral to a grey rectangle with its mean sides. */
export function unwarp(picture: Raster, quad: Quad): Raster {
  const [topLeft, topRight, bottomRight, bottomLeft] = quad;
  const width = Math.max(1, Math.round((distance(topLeft, topRight) + distance(bottomLeft, bottomRight)) / 2));
  const height = Math.max(1, Math.round((distance(topLeft, bottomLeft) + distance(topRight, bottomRight)) / 2));
  const locate = projection(quad);
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      data[y * width + x] = lightAt(picture, locate((x + 0.5) / width, (y + 0.5) / height));
    }
  }
  return { width, height, channels: 1, data };
}

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);

/**
 * Projects the unit square to the quadrilateral (Heckbert, "Fundamentals of Texture Mapping and Image Warping", 1989,
 * section 2.2.2).
 */
function projection([a, b, c, d]: Quad): (u: number, v: number) => Point {
  const sum = { x: a.x - b.x + c.x - d.x, y: a.y - b.y + c.y - d.y };
  const right = { x: b.x - c.x, y: b.y - c.y };
  const below = { x: d.x - c.x, y: d.y - c.y };
  const area = right.x * below.y - below.x * right.y || 1;
  const g = (sum.x * below.y - below.x * sum.y) / area;
  const h = (right.x * sum.y - sum.x * right.y) / area;
  return (u, v) => {
    const depth = g * u + h * v + 1;
    return {
      x: ((b.x - a.x + g * b.x) * u + (d.x - a.x + h * d.x) * v + a.x) / depth,
      y: ((b.y - a.y + g * b.y) * u + (d.y - a.y + h * d.y) * v + a.y) / depth,
    };
  };
}

/** Interpolates between the four nearest pixels of the first channel, the only one of a grey picture. */
function lightAt({ width, height, channels, data }: Raster, { x, y }: Point): number {
  const left = Math.max(0, Math.min(width - 1.001, x - 0.5));
  const top = Math.max(0, Math.min(height - 1.001, y - 0.5));
  const column = Math.floor(left);
  const row = Math.floor(top);
  const light = (dx: number, dy: number): number => {
    const at = Math.min(height - 1, row + dy) * width + Math.min(width - 1, column + dx);
    return data[at * channels] ?? 255;
  };
  const [right, below] = [left - column, top - row];
  const upper = light(0, 0) * (1 - right) + light(1, 0) * right;
  const lower = light(0, 1) * (1 - right) + light(1, 1) * right;
  return Math.round(upper * (1 - below) + lower * below);
}
