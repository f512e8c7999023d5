import { expect, test } from "vitest";
import { mayShowMore } from "./text-layer.ts";

const nothing = { signs: 0, points: 0, hasPictures: false, pictureShare: 0 };

test.each([
  ["is blank", "", nothing],
  ["is a title", "Annual Report\n2023", { ...nothing, signs: 16 }],
  ["is a divider in a frame", "Part II", { ...nothing, signs: 6, points: 10 }],
  ["has nothing but its number", "- 17 -", { ...nothing, signs: 4 }],
])("the picture of a page that %s shows no more than is known", (_, words, drawing) => {
  expect(mayShowMore(words, drawing)).toBe(false);
});

test.each([
  ["is a scan", "", { ...nothing, hasPictures: true }],
  ["is a scan with a stamp", "Scanned 2019", { ...nothing, signs: 11, hasPictures: true }],
  ["has its letters as outlines", "", { ...nothing, points: 900 }],
  ["has a font that tells no letters", "\ue001\ue002\ue003", { ...nothing, signs: 30 }],
])("the picture of a page that %s may show more", (_, words, drawing) => {
  expect(mayShowMore(words, drawing)).toBe(true);
});
