import { expect, test } from "vitest";
import { findMarked, NumberUnits } from "./number-units.ts";

test("numbers of one unit and of three are found where they are, also from the middle", () => {
  const numbers = [0, 1, 127, 300, 65_534, 65_535, 65_536, 131_071, 131_072, 20_000_000, 5];
  const units = new NumberUnits();
  const starts = numbers.map((number) => {
    const start = units.length;
    units.push(number);
    return start;
  });
  const more = new NumberUnits();
  for (let time = 0; time < 500; time++) more.append(units.values());
  const all = more.values();
  expect(all).toHaveLength(500 * units.length);
  const marks = new Uint16Array(20_000_001);
  for (const [at, number] of numbers.entries()) marks[number] = at + 1;
  const ofOne = numbers.map((_, at) => at + 1);
  expect(findMarked(all, [0, all.length], marks)).toEqual({
    length: 500 * numbers.length,
    places: Array.from({ length: 500 * numbers.length }, (_, at) => at),
    marks: Array.from({ length: 500 }, () => ofOne).flat(),
  });
  marks[65_536] = 0;
  expect(findMarked(all, [starts[3] ?? 0, starts[9] ?? 0], marks)).toEqual({
    length: 6,
    places: [0, 1, 2, 4, 5],
    marks: [4, 5, 6, 8, 9],
  });
});
