import { expect, test } from "vitest";
import { createTermTally } from "./tally.ts";

const words = (from: number, count: number): string =>
  Array.from({ length: count }, (_, at) =>
    Array.from(String(from + at), (digit) => "abcdefghij"[Number(digit)]).join(""),
  ).join(" ");

test("a word that occurs twice must arrive twice", () => {
  const tally = createTermTally<string>();
  tally.add("otter and otter", "here");
  tally.arrive("and otter");
  expect(tally.compared().filter(({ missing }) => missing > 0)).toEqual([
    { term: "otter", times: 2, missing: 1, place: "here" },
  ]);
});

test("a sample of too many different words is compared, of which the same share is missing", () => {
  const tally = createTermTally<string>(1_000);
  tally.add(words(100_000, 20_000), "");
  tally.arrive(words(100_000, 15_000));
  const compared = tally.compared();
  expect(compared.length).toBeGreaterThan(400);
  expect(compared.length).toBeLessThanOrEqual(1_000);
  const share = compared.filter(({ missing }) => missing > 0).length / compared.length;
  expect(share).toBeGreaterThan(0.2);
  expect(share).toBeLessThan(0.3);
});
