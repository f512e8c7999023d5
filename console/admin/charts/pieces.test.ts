import { expect, test } from "vitest";
import { piecesOf } from "./pieces.ts";

test("a line breaks where nothing is known", () => {
  expect(piecesOf([undefined, [1, 1], [2, 1], undefined, undefined, [5, 3]])).toEqual([
    [
      [1, 1],
      [2, 1],
    ],
    [[5, 3]],
  ]);
  expect(piecesOf([undefined])).toEqual([]);
});
