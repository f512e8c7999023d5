import { expect, test } from "vitest";
import { plainBm25 } from "./bm25.ts";

const rank = plainBm25([
  "Grids of shaded tiles, and how they are drawn. Grids again.",
  "A tile server",
  "The shade of a tree",
  "Nothing of the kind",
]);

test("pages are ranked by how many of the words they have, and how rare these are", () => {
  expect(rank("shaded tiles", 10)).toEqual([0, 1, 2]);
  expect(rank("a tile server", 1)).toEqual([1]);
});

test("words that no page has find nothing", () => {
  expect(rank("zebra", 10)).toEqual([]);
});
