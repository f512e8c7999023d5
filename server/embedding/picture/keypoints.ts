import type { Plane } from "./plane.ts";

/** A blob of ink or a gap between blobs, in fractional pixels. */
export interface Keypoint {
  readonly x: number;
  readonly y: number;
  readonly strength: number;
}

/** About 7 levels of 8-bit contrast across a blob: below it, JPEG artefacts become keypoints. */
const minStrength = 0.0286;
/**
 * Lowe's bound on the ratio of principal curvatures (he uses 10): above it, the point is on an edge, along which its position is
 * arbitrary.
 */
const edgeRatio = 8;

/**
 * Returns local extrema of the Laplacian of a blurred plane, as in Lowe, "Distinctive Image Features from Scale-Invariant
 * Keypoints" (2004) at one scale, with his edge test and sub-pixel fit; at most `max`, the strongest first.
 */
export function keypointsOf({ width, height, data }: Plane, max: number): Keypoint[] {
  const response = new Float32Array(data.length);
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const at = y * width + x;
      const across = (data[at - 1] ?? 0) + (data[at + 1] ?? 0);
      response[at] = 4 * (data[at] ?? 0) - across - (data[at - width] ?? 0) - (data[at + width] ?? 0);
    }
  }
  const found: Keypoint[] = [];
  for (let y = 2; y < height - 2; y += 1) {
    for (let x = 2; x < width - 2; x += 1) {
      const at = y * width + x;
      if (Math.abs(response[at] ?? 0) < minStrength || !isExtremum(response, at, width)) continue;
      const offset = fit(response, at, width);
      if (offset === undefined) continue;
      found.push({ x: x + offset.x, y: y + offset.y, strength: Math.abs(response[at] ?? 0) });
    }
  }
  return found.sort((a, b) => b.strength - a.strength || a.y - b.y || a.x - b.x).slice(0, max);
}

function isExtremum(response: Float32Array, at: number, width: number): boolean {
  const value = response[at] ?? 0;
  const sign = value > 0 ? 1 : -1;
  const height = sign * value;
  for (let row = at - width; row <= at + width; row += width) {
    for (let neighbour = row - 1; neighbour <= row + 1; neighbour += 1) {
      if (neighbour !== at && sign * (response[neighbour] ?? 0) >= height) return false;
    }
  }
  return true;
}

/** Returns the peak of the parabola through the neighbours; undefined on an edge. */
function fit(response: Float32Array, at: number, width: number): { x: number; y: number } | undefined {
  const value = (dx: number, dy: number): number => response[at + dy * width + dx] ?? 0;
  const xx = value(1, 0) + value(-1, 0) - 2 * value(0, 0);
  const yy = value(0, 1) + value(0, -1) - 2 * value(0, 0);
  const xy = (value(1, 1) - value(-1, 1) - value(1, -1) + value(-1, -1)) / 4;
  const determinant = xx * yy - xy * xy;
  if (determinant <= 0 || (xx + yy) ** 2 * edgeRatio > (edgeRatio + 1) ** 2 * determinant) return undefined;
  const half = (offset: number): number => Math.max(-0.5, Math.min(0.5, offset));
  return { x: half((value(-1, 0) - value(1, 0)) / (2 * xx)), y: half((value(0, -1) - value(0, 1)) / (2 * yy)) };
}
