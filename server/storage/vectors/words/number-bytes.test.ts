import { expect, test } from "vitest";
import { NumberBytes, readNumbers } from "./number-bytes.ts";

test("numbers of one to four bytes come back as they were, also from the middle", () => {
  const numbers = [0, 1, 127, 128, 300, 16_383, 16_384, 2_097_151, 2_097_152, 200_000_000, 5];
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
  const found: number[] = [];
  readNumbers(all, 0, all.length, (number) => found.push(number));
  expect(found).toEqual(Array.from({ length: 500 }, () => numbers).flat());
  const some: number[] = [];
  readNumbers(all, starts[3] ?? 0, starts[7] ?? 0, (number) => some.push(number));
  expect(some).toEqual(numbers.slice(3, 7));
});
