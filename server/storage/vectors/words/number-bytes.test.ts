import { expect, test } from "vitest";
import { findMarked, NumberBytes } from "./number-bytes.ts";

test("numbers of one to four bytes are found where they are, also from the middle", () => {
  const numbers = [0, 1, 127, 128, 300, 16_383, 16_384, 2_097_151, 2_097_152, 20_000_000, 5];
  const bytes = new NumberBytes();
  const starts = numbers.map((number) => {
    const start = bytes.length;
    bytes.push(number);
    return start;
  });
  const more = new NumberBytes();
  for (let time = 0; time < 500; time++) more.append(bytes.values());
  const all = more.values();
  expect(all).toHaveLength(500 * bytes.length);
  const marks = new Uint16Array(20_000_001);
  for (const [at, number] of numbers.entries()) marks[number] = at + 1;
  const ofOne = numbers.map((_, at) => at + 1);
  expect(findMarked(all, [0, all.length], marks)).toEqual({
    length: 500 * numbers.length,
    places: Array.from({ length: 500 * numbers.length }, (_, at) => at),
    marks: Array.from({ length: 500 }, () => ofOne).flat(),
  });
  marks[16_384] = 0;
  expect(findMarked(all, [starts[3] ?? 0, starts[9] ?? 0], marks)).toEqual({
    length: 6,
    places: [0, 1, 2, 4, 5],
    marks: [4, 5, 6, 8, 9],
  });
});
