import { expect, it } from "vitest";
import { blur } from "./blur.ts";
import { drawPage } from "./testing/draw-page.ts";
import { inkOf, type Plane } from "./plane.ts";

const sigma = 1.4;

/** The same by definition, in both directions at once. */
function expected({ width, height, data }: Plane, x: number, y: number): number {
  let [sum, total] = [0, 0];
  for (let dy = -4; dy <= 4; dy += 1) {
    for (let dx = -4; dx <= 4; dx += 1) {
      const weight = Math.exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
      const column = Math.max(0, Math.min(width - 1, x + dx));
      const row = Math.max(0, Math.min(height - 1, y + dy));
      sum += weight * (data[row * width + column] ?? 0);
      total += weight;
    }
  }
  return sum / total;
}

it.each<[string, Plane]>([
  ["a page", inkOf(drawPage(6), 80, 113)],
  ["ink at the edges", { width: 7, height: 12, data: Float32Array.from({ length: 84 }, (_, at) => (at % 7 ? 0 : 1)) }],
  ["one row", { width: 30, height: 1, data: Float32Array.from({ length: 30 }, (_, at) => (at % 4) / 4) }],
])("%s is blurred by a Gaussian, edges going on as they end", (_, plane) => {
  const { data } = blur(plane);
  for (let at = 0; at < data.length; at += 1) {
    const x = at % plane.width;
    expect(data[at]).toBeCloseTo(expected(plane, x, (at - x) / plane.width), 5);
  }
});
