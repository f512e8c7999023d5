import { describe, expect, it } from "vitest";
import type { Raster } from "../raster.ts";
import { drawPage, photograph } from "./testing/draw-page.ts";
import { flattenSheet } from "./sheet.ts";

const plain = (width: number, height: number, light: number): Raster => ({
  width,
  height,
  channels: 1,
  data: new Uint8Array(width * height).fill(light),
});

describe("a sheet in a photo", () => {
  it.each([-0.05, 0, 0.05])("is found and set upright when it is turned by %d", (turn) => {
    const page = drawPage(3, 640);
    const sheet = flattenSheet(photograph(page, turn));
    expect((sheet?.width ?? 0) / page.width).toBeCloseTo(1, 1);
    expect((sheet?.height ?? 0) / page.height).toBeCloseTo(1, 1);
    const corner = sheet?.data.subarray(0, 1)[0] ?? 0;
    expect(corner).toBeGreaterThan(150);
  });

  it.each<[string, Raster]>([
    ["a page that fills the picture", drawPage(3)],
    ["a white picture", plain(200, 300, 255)],
    ["a black picture", plain(200, 300, 0)],
    ["one pixel", plain(1, 1, 255)],
    ["a picture that is all length", plain(20_000, 1, 255)],
    ["noise", { ...plain(200, 200, 0), data: Uint8Array.from({ length: 40_000 }, (_, at) => (at * 7919) % 251) }],
  ])("is not found in %s", (_, picture) => {
    expect(flattenSheet(picture)).toBeUndefined();
  });
});
