import { expect, it } from "vitest";
import { openFullText } from "./full-text.ts";

it("finds pages by any of the words, everywhere or in a range", () => {
  const peer = openFullText(":memory:");
  peer.add(["red apples", "green pears and apples", "nothing", "red pears, red pears"]);
  expect(peer.search(["red", "pear"], 10)[0]).toBe(4);
  expect(new Set(peer.search(["red", "pear"], 10))).toEqual(new Set([1, 2, 4]));
  expect(new Set(peer.search(["red", "pear"], 10, 1, 2))).toEqual(new Set([1, 2]));
  peer.close();
});
