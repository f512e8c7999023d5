import { expect, test } from "vitest";
import { createRandom } from "../../../bench/measuring/random.ts";
import { mostAlike } from "./most-alike.ts";

const random = createRandom(13);

test("the largest values are found, with those that are as large as the last", () => {
  const values = Uint16Array.from({ length: 500 }, () => Math.floor(100 * random()));
  const some = Uint32Array.from(values.keys().filter((place) => place % 3 === 0));
  for (const places of [undefined, some]) {
    const all = [...(places ?? values.keys())];
    for (const count of [1, 7, 60, all.length, all.length + 10]) {
      const sorted = all.map((place) => values[place] ?? 0).toSorted((one, other) => other - one);
      const least = sorted[Math.min(count, all.length) - 1] ?? 0;
      expect([...mostAlike(values, count, places)]).toEqual(all.filter((place) => (values[place] ?? 0) >= least));
    }
  }
});

test("the ends of the range are values like others, and of nothing there is none", () => {
  expect([...mostAlike(Uint16Array.from([0, 65_535, 0]), 1)]).toEqual([1]);
  expect([...mostAlike(Uint16Array.from([0, 0]), 1)]).toEqual([0, 1]);
  expect([...mostAlike(new Uint16Array(), 5)]).toEqual([]);
  expect([...mostAlike(Uint16Array.from([4, 5]), 1, new Uint32Array())]).toEqual([]);
});
