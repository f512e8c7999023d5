import { describe, expect, it } from "vitest";
import type { Raster } from "../raster.ts";
import { featureCount, featuresOf } from "./features.ts";

const picture = (width: number, height: number, light: (at: number) => number): Raster => ({
  width,
  height,
  channels: 1,
  data: Uint8Array.from({ length: width * height }, (_, at) => light(at)),
});

describe("features", () => {
  it.each<[string, Raster]>([
    ["white", picture(450, 640, () => 255)],
    ["black", picture(450, 640, () => 0)],
    ["one pixel", picture(1, 1, () => 0)],
    ["all length", picture(20_000, 1, (at) => at % 256)],
    ["all height", picture(1, 20_000, (at) => at % 256)],
    ["noise", picture(450, 640, (at) => (at * 7919) % 251)],
    ["a chessboard", picture(450, 640, (at) => ((at >> 1) + Math.floor(at / 900)) % 2 && 255)],
    ["nothing but rules", picture(450, 640, (at) => (Math.floor(at / 450) % 5 === 0 || at % 5 === 0 ? 0 : 255))],
  ])("of a picture that is %s are all finite", (_, raster) => {
    const features = featuresOf({ picture: raster, words: "" });
    expect(features).toHaveLength(featureCount);
    expect(features.every(Number.isFinite)).toBe(true);
  });

  it("of hostile words are finite", () => {
    for (const words of ["_".repeat(100_000), ". ".repeat(100_000), "table ".repeat(100_000), "1".repeat(100_000)]) {
      expect(featuresOf({ picture: picture(40, 60, () => 255), words }).every(Number.isFinite)).toBe(true);
    }
  });
});
