import type { Raster } from "../raster.ts";
import { maximumAcross, minimumAcross, transposed } from "./morphology.ts";
import { inkOf, type Plane } from "./plane.ts";

/** Pixels of the longer side: enough to locate a corner within one hundredth of the page. */
const longSide = 240;
/** Wider than the space between lines, so that print does not divide the paper. */
const printSize = 9;
/** Shares of the picture's area: smaller sheets show too little, larger ones have nothing around them. */
const minArea = 0.2;
const maxArea = 0.97;
/** The minimum share of the quadrilateral that is paper, and of the paper that is within it. */
const minFit = 0.93;

/**
 * Extracts the page from a photo of it, seen from straight above: the largest bright patch, if it has four corners. Undefined
 * if there is none, as in pictures of the page alone. It works for paper that is brighter than its background and turned by
 * no more than some 20°.
 */
export function flattenSheet(picture: Raster): Raster | undefined {
  const scale = longSide / Math.max(picture.width, picture.height);
  const width = Math.max(8, Math.round(picture.width * scale));
  const height = Math.max(8, Math.round(picture.height * scale));
  const paper = withoutPrint(inkOf(picture, width, height));
  const sheet = largestPatch(paper, otsu(paper));
  if (sheet.size < minArea * width * height || sheet.size > maxArea * width * height) return undefined;
  const quad = cornersOf(sheet.mask, width);
  if (!isSheet(quad, sheet, width)) return undefined;
  const full = ({ x, y }: Point): Point => ({
    x: ((x + 0.5) * picture.width) / width,
    y: ((y + 0.5) * picture.height) / height,
  });
  return unwarp(picture, [full(quad[0]), full(quad[1]), full(quad[2]), full(quad[3])]);
}

/** The paper without the print on it: the opening of the ink by a square as wide as print. */
function withoutPrint(ink: Plane): Plane {
  const half = printSize >> 1;
  const bare = minimumAcross(transposed(minimumAcross(ink, half)), half);
  return transposed(maximumAcross(transposed(maximumAcross(transposed(bare), half)), half));
}

/**
 * Returns the threshold of ink that best divides light from dark, by Otsu, "A Threshold Selection Method from Gray-Level
 * Histograms" (1979).
 */
function otsu({ data }: Plane): number {
  const levels = 64;
  const counts = new Float64Array(levels);
  for (const value of data) {
    const level = Math.min(levels - 1, Math.floor(value * levels));
    counts[level] = (counts[level] ?? 0) + 1;
  }
  const total = data.length;
  const all = counts.reduce((sum, count, level) => sum + count * level, 0);
  let below = 0;
  let sumBelow = 0;
  let best = { spread: 0, at: 0 };
  for (const [level, count] of counts.entries()) {
    below += count;
    sumBelow += count * level;
    if (below === 0 || below === total) continue;
    const spread = below * (total - below) * (sumBelow / below - (all - sumBelow) / (total - below)) ** 2;
    if (spread > best.spread) best = { spread, at: level };
  }
  return (best.at + 1) / levels;
}

interface Patch {
  /** 1 for pixels of the patch. */
  readonly mask: Uint8Array;
  readonly size: number;
}

function largestPatch({ width, height, data }: Plane, threshold: number): Patch {
  const owner = new Int32Array(data.length);
  let largest = { label: 0, size: 0 };
  const stack: number[] = [];
  for (let start = 0, label = 0; start < data.length; start += 1) {
    if (owner[start] !== 0 || (data[start] ?? 1) >= threshold) continue;
    label += 1;
    let size = 0;
    owner[start] = label;
    stack.push(start);
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      size += 1;
      const x = at % width;
      const y = (at - x) / width;
      for (const [dx, dy] of neighbours) {
        const next = at + dx + dy * width;
        if (x + dx < 0 || x + dx >= width || y + dy < 0 || y + dy >= height) continue;
        if (owner[next] !== 0 || (data[next] ?? 1) >= threshold) continue;
        owner[next] = label;
        stack.push(next);
      }
    }
    if (size > largest.size) largest = { label, size };
  }
  return { mask: Uint8Array.from(owner, (label) => (label === largest.label ? 1 : 0)), size: largest.size };
}

const neighbours = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
] as const;

/** Returns the points farthest out along the diagonals, clockwise from the upper left. */
function cornersOf(mask: Uint8Array, width: number): Quad {
  const extremes = [-Infinity, -Infinity, -Infinity, -Infinity];
  const corners: [Point, Point, Point, Point] = [origin, origin, origin, origin];
  for (let at = 0; at < mask.length; at += 1) {
    if (mask[at] === 0) continue;
    const x = at % width;
    const y = (at - x) / width;
    for (const [index, reach] of [-x - y, x - y, x + y, y - x].entries()) {
      if (reach <= (extremes[index] ?? 0)) continue;
      extremes[index] = reach;
      corners[index] = { x, y };
    }
  }
  return corners;
}

const origin: Point = { x: 0, y: 0 };

/** Whether the patch fills the quadrilateral and lies within it, and has something around it. */
function isSheet(quad: Quad, { mask, size }: Patch, width: number): boolean {
  let inside = 0;
  let paper = 0;
  for (let at = 0; at < mask.length; at += 1) {
    const x = at % width;
    const y = (at - x) / width;
    if (!encloses(quad, x, y)) continue;
    inside += 1;
    paper += mask[at] ?? 0;
  }
  // A page with dark pictures is a patch with holes, whose corners are those of the whole picture.
  if (inside === 0 || inside > maxArea * mask.length) return false;
  return paper >= minFit * inside && paper >= minFit * size;
}

function encloses(quad: Quad, x: number, y: number): boolean {
  return quad.every((from, index) => {
    const to = quad[(index + 1) % 4] ?? from;
    return (to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x) >= -1e-6;
  });
}

/** A point in fractional pixels. */
interface Point {
  readonly x: number;
  readonly y: number;
}

/** The corners of a quadrilateral, clockwise from the upper left. */
type Quad = readonly [Point, Point, Point, Point];

/** Maps the content of the quadrilateral to a grey rectangle with its mean sides. */
function unwarp(picture: Raster, quad: Quad): Raster {
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
