import { assert, double, integer, property } from "fast-check";
import { expect, test } from "vitest";
import { fitLongSide, jpegSize } from "./size.ts";

test("a letter page is drawn at 150 dots per inch", () => {
  expect(jpegSize(612, 792)).toEqual({ width: 1275, height: 1650 });
});

test("a poster is drawn 2,400 pixels long", () => {
  expect(jpegSize(1684, 2384)).toEqual({ width: 1695, height: 2400 });
});

test("a page without size has no picture", () => {
  expect([jpegSize(0, 100), jpegSize(100, -1), jpegSize(Number.NaN, 1), jpegSize(Infinity, 1)]).toEqual(
    Array.from({ length: 4 }),
  );
});

test("no page takes more pixels than the longer side squared, nor fewer than one", () => {
  const length = double({ min: 1e-9, max: 1e9, noNaN: true });
  assert(
    property(length, length, integer({ min: 1, max: 3000 }), (width, height, longSide) => {
      const size = fitLongSide(width, height, longSide);
      expect(size?.width).toBeGreaterThanOrEqual(1);
      expect(size?.height).toBeGreaterThanOrEqual(1);
      expect(Math.max(size?.width ?? 0, size?.height ?? 0)).toBe(longSide);
    }),
  );
});
