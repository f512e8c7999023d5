import sharp from "sharp";
import { expect, test } from "vitest";
import { dropFourth, encodeJpeg, hasColour, toGrey } from "./jpeg.ts";

const grey = Uint8Array.from({ length: 16 * 4 }, (_, at) => (at % 4 === 3 ? 255 : 120));
const red = Uint8Array.from({ length: 16 * 4 }, (_, at) => (at === 60 ? 255 : (grey[at] ?? 0)));

test("a page without colour becomes a grey JPEG", async () => {
  const jpeg = await encodeJpeg({ width: 4, height: 4, data: grey });
  expect(await sharp(jpeg).metadata()).toMatchObject({ format: "jpeg", width: 4, height: 4, channels: 1 });
});

test("one coloured pixel makes it a coloured JPEG", async () => {
  const jpeg = await encodeJpeg({ width: 4, height: 4, data: red });
  expect(await sharp(jpeg).metadata()).toMatchObject({ format: "jpeg", channels: 3 });
});

test("colour is found at every offset of the bytes", () => {
  const shifted = new Uint8Array(red.length + 1);
  shifted.set(red, 1);
  expect([hasColour(grey), hasColour(red), hasColour(shifted.subarray(1))]).toEqual([false, true, true]);
});

test("the fourth byte of a pixel means nothing", () => {
  const pixels = Uint8Array.of(10, 20, 30, 0, 40, 50, 60, 255);
  expect([...dropFourth(pixels)]).toEqual([10, 20, 30, 40, 50, 60]);
  expect([...toGrey(pixels)]).toEqual([18, 48]);
});
