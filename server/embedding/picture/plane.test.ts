import { describe, expect, it } from "vitest";
import type { Raster } from "../raster.ts";
import { cropPicture, drawPage } from "./testing/draw-page.ts";
import { inkOf } from "./plane.ts";

/** The same by definition: every target pixel reads every source pixel. */
function expected({ width, height, data }: Raster, x: number, y: number, columns: number, rows: number): number {
  const share = (source: number, target: number, sourceSize: number, targetSize: number): number => {
    const scale = sourceSize / targetSize;
    return Math.max(0, Math.max(1, scale) - Math.abs(source - ((target + 0.5) * scale - 0.5)));
  };
  let [sum, total] = [0, 0];
  for (let j = 0; j < height; j += 1) {
    for (let i = 0; i < width; i += 1) {
      const weight = share(i, x, width, columns) * share(j, y, height, rows);
      sum += weight * (1 - (data[j * width + i] ?? 0) / 255);
      total += weight;
    }
  }
  return sum / total;
}

const page = drawPage(4, 120);
const noise: Raster = {
  width: 90,
  height: 70,
  channels: 1,
  data: Uint8Array.from({ length: 6300 }, (_, at) => (at * 7919) % 251),
};

describe("a picture's ink", () => {
  it.each<[string, Raster, number, number]>([
    ["shrunk", page, 40, 57],
    ["shrunk to next to nothing", page, 2, 3],
    ["enlarged", cropPicture(page, 0.4, 0.4, 0.7, 0.6), 60, 50],
    ["squeezed", noise, 89, 9],
    ["of a row", { ...noise, height: 1, data: noise.data.subarray(0, 90) }, 33, 16],
  ])("%s is what the triangles around each pixel hold", (_, picture, width, height) => {
    const ink = inkOf(picture, width, height);
    for (let at = 0; at < ink.data.length; at += 1) {
      const x = at % width;
      expect(ink.data[at]).toBeCloseTo(expected(picture, x, (at - x) / width, width, height), 5);
    }
  });

  it("is exactly nothing where there is white paper alone", () => {
    const { data, width } = inkOf(drawPage(4, 640), 160, 227);
    expect(data.subarray(0, 10 * width).every((value) => value === 0)).toBe(true);
    expect(data.some((value) => value > 0.5)).toBe(true);
  });

  it("weighs colours as eyes do", () => {
    const pixels = Uint8Array.of(255, 0, 0, 0, 255, 0, 0, 0, 255);
    const { data } = inkOf({ width: 3, height: 1, channels: 3, data: pixels }, 3, 1);
    expect(Array.from(data, (value) => Math.round(255 * (1 - value)))).toEqual([76, 150, 29]);
  });
});
