import { describe, expect, it } from "vitest";
import { wordsOf } from "./line-recogniser.ts";

const letters = [" ", "a", "b"];
const read = (numbers: number[]): string[] =>
  wordsOf(Int32Array.from(numbers), new Float32Array(numbers.length).fill(1), letters).map(({ text }) => text);

describe("words of a line", () => {
  it("have each letter once, however long it is seen", () => {
    expect(read([0, 2, 2, 2, 0, 3, 3])).toEqual(["ab"]);
  });

  it("have a letter twice where none divides the two", () => {
    expect(read([2, 0, 2])).toEqual(["aa"]);
  });

  it("are divided by spaces, of which there may be many", () => {
    expect(read([1, 0, 1, 2, 1, 0, 1, 3, 1])).toEqual(["a", "b"]);
  });

  it("have no letters that the alphabet does not have", () => {
    expect(read([9, 2, -1, 3])).toEqual(["ab"]);
  });

  it("are as likely as their letters on average", () => {
    const [word] = wordsOf(Int32Array.from([2, 0, 3]), Float32Array.from([0.5, 0.9, 0.125]), letters);
    expect(word?.confidence).toBeCloseTo(0.25);
  });
});
