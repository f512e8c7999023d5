import { describe, expect, it } from "vitest";
import { median, wordRates } from "./read-pages.ts";

describe("word rates", () => {
  it("count each occurrence once, ignoring case and punctuation", () => {
    expect(wordRates("The cat, the dog", "the Cat cat")).toEqual({ recall: 0.5, precision: 2 / 3 });
  });

  it("of nothing read are 0", () => {
    expect(wordRates("some words", "")).toEqual({ recall: 0, precision: 0 });
  });
});

describe("the median", () => {
  it("of an even number is between the two in the middle", () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
});
