import type { Plane } from "../picture/plane.ts";
import { componentsOf } from "../mask/components.ts";

/** Side of a block in pixels: two lines of small print, so that a block of text always contains some paper. */
const side = 8;
/** Pixels with less ink than this are paper. */
const paper = 0.08;
/** The largest spread of ink in a block of one flat colour. */
const flat = 0.03;
const levels = 6;

export const blockFeatureCount = levels + 11;

/** Returns features of the page's tones and of its areas that show no paper: flat colour, or the texture of a photo. */
export function blockFeatures(ink: Plane): number[] {
  const { width, height, data } = ink;
  const counts = new Uint32Array(levels);
  for (let at = 0; at < data.length; at += 1) {
    const value = data[at] ?? 0;
    if (value < paper) continue;
    const level = Math.min(levels - 1, Math.floor(value * levels));
    counts[level] = (counts[level] ?? 0) + 1;
  }
  const histogram = Array.from(counts, (count) => count / data.length);
  const columns = Math.max(1, Math.floor(width / side));
  const rows = Math.max(1, Math.floor(height / side));
  const toned = new Uint8Array(columns * rows);
  const solid = new Uint8Array(columns * rows);
  let [blank, spreadInTone, dark] = [0, 0, 0];
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const index = row * columns + column;
      const ground = groundOf(ink, column * side, row * side);
      if (ground === "paper") blank += 1;
      if (ground !== "tone") continue;
      const { mean, spread } = toneOf(ink, column * side, row * side);
      if (spread > flat) {
        toned[index] = 1;
        spreadInTone += spread;
        dark += mean;
      } else solid[index] = 1;
    }
  }
  const count = columns * rows;
  const tonedCount = toned.reduce((sum, value) => sum + value, 0);
  const solidCount = solid.reduce((sum, value) => sum + value, 0);
  const regions = componentsOf({ width: columns, height: rows, data: toned }).toSorted((a, b) => b.size - a.size);
  const areas = componentsOf({ width: columns, height: rows, data: solid }).toSorted((a, b) => b.size - a.size);
  const [largest] = regions;
  const [area] = areas;
  return [
    ...histogram,
    blank / count,
    tonedCount / count,
    solidCount / count,
    Math.sqrt((largest?.size ?? 0) / count),
    largest === undefined ? 0 : largest.size / (largest.width * largest.height),
    Math.sqrt((area?.size ?? 0) / count),
    area === undefined ? 0 : area.size / (area.width * area.height),
    tonedCount === 0 ? 0 : spreadInTone / tonedCount,
    tonedCount === 0 ? 0 : dark / tonedCount,
    Math.log1p(regions.length) / 4,
    Math.log1p(areas.length) / 4,
  ];
}

/** Classifies a block as all paper, all tones, or print, which has both. */
function groundOf({ width, height, data }: Plane, left: number, top: number): "paper" | "tone" | "print" {
  let [hasPaper, hasInk] = [false, false];
  for (let y = top; y < Math.min(height, top + side); y += 1) {
    for (let x = left; x < Math.min(width, left + side); x += 1) {
      const value = data[y * width + x] ?? 0;
      if (value >= paper) hasInk = true;
      else if (value <= paper / 2) hasPaper = true;
      if (hasInk && hasPaper) return "print";
    }
  }
  if (!hasInk) return "paper";
  return hasPaper ? "print" : "tone";
}

function toneOf({ width, height, data }: Plane, left: number, top: number): { mean: number; spread: number } {
  let [sum, squares, count] = [0, 0, 0];
  for (let y = top; y < Math.min(height, top + side); y += 1) {
    for (let x = left; x < Math.min(width, left + side); x += 1) {
      const value = data[y * width + x] ?? 0;
      sum += value;
      squares += value * value;
      count += 1;
    }
  }
  const mean = sum / count;
  return { mean, spread: Math.sqrt(Math.max(0, squares / count - mean * mean)) };
}
