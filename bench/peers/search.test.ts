import { expect, it } from "vitest";
import { createBruteForce, openFullText } from "./search.ts";

it("finds the nearest vectors, everywhere or in a range, best first", () => {
  const peer = createBruteForce(2, 5);
  for (const angle of [0, 80, 20, 60, 40]) {
    peer.add(new Float32Array([Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)]));
  }
  const query = new Float32Array([1, 0]);
  expect(peer.nearest(query, 3)).toEqual([0, 2, 4]);
  expect(peer.nearest(query, 2, 1, 4)).toEqual([2, 3]);
  expect(peer.nearest(query, 9)).toEqual([0, 2, 4, 3, 1]);
});

it("finds pages by any of the words, everywhere or in a range", () => {
  const peer = openFullText(":memory:");
  peer.add(["red apples", "green pears and apples", "nothing", "red pears, red pears"]);
  expect(peer.search(["red", "pear"], 10)[0]).toBe(4);
  expect(new Set(peer.search(["red", "pear"], 10))).toEqual(new Set([1, 2, 4]));
  expect(new Set(peer.search(["red", "pear"], 10, 1, 2))).toEqual(new Set([1, 2]));
  peer.close();
});
