import sharp from "sharp";
import { expect, test } from "vitest";
import { drawHighlights } from "./gallery.ts";

const picture = async (channels: 1 | 3): Promise<Buffer> =>
  sharp({ create: { width: 100, height: 200, channels: 3, background: "white" } })
    .composite([{ input: { create: { width: 10, height: 10, channels: 3, background: "black" } }, left: 30, top: 60 }])
    .toColourspace(channels === 1 ? "b-w" : "srgb")
    .jpeg()
    .toBuffer();
const box = { x: 0.2, y: 0.25, width: 0.4, height: 0.1, text: "words" };

test.each([1, 3] as const)("marks the box and leaves the words dark, on a picture of %i channels", async (channels) => {
  const drawn = sharp(await drawHighlights(await picture(channels), [box]));
  const { data, info } = await drawn.raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number): readonly number[] => [...data.subarray((y * info.width + x) * 3).subarray(0, 3)];
  expect([info.width, info.height, info.channels]).toEqual([100, 200, 3]);
  const [red = 0, , blue = 255] = at(50, 60);
  expect(red - blue).toBeGreaterThan(100);
  expect(Math.max(...at(35, 65))).toBeLessThan(60);
  expect(Math.min(...at(10, 10), ...at(50, 100))).toBeGreaterThan(240);
});

test("leaves a picture without words as it is", async () => {
  const bytes = await picture(3);
  expect(await drawHighlights(bytes, [])).toBe(bytes);
});
