import { expect, it } from "vitest";
import { stem } from "./stem.ts";

// From Snowball's own vocabulary of English words and their stems.
it.each([
  ["consigned", "consign"],
  ["consisting", "consist"],
  ["knightly", "knight"],
  ["knives", "knive"],
  ["generously", "generous"],
  ["communication", "communic"],
  ["arsenal", "arsenal"],
  ["hopping", "hop"],
  ["hoped", "hope"],
  ["agreed", "agre"],
  ["feed", "feed"],
  ["ties", "tie"],
  ["cries", "cri"],
  ["gas", "gas"],
  ["this", "this"],
  ["possesses", "possess"],
  ["youth", "youth"],
  ["boyish", "boyish"],
  ["dying", "die"],
  ["skies", "sky"],
  ["proceeding", "proceed"],
  ["inning", "inning"],
  ["formative", "format"],
  ["controlling", "control"],
  ["falling", "fall"],
  ["adjustable", "adjust"],
  ["adoption", "adopt"],
  ["relational", "relat"],
  ["vietnamization", "vietnam"],
  ["ab", "ab"],
  ["adding", "add"],
  ["eggs", "egg"],
  ["vying", "vie"],
  ["evening", "evening"],
  ["evenly", "even"],
  ["pasted", "paste"],
  ["past", "past"],
  ["universal", "universal"],
  ["university", "universiti"],
  ["lateral", "lateral"],
  ["emergency", "emergenc"],
  ["organic", "organic"],
  ["organizations", "organiz"],
  ["international", "internat"],
  ["apologists", "apolog"],
])("%s has the stem %s", (word, expected) => {
  expect(stem(word)).toBe(expected);
});

it("does not change numbers and words of other scripts", () => {
  expect(["1234d5", "テスト", "größe", "42"].map(stem)).toEqual(["1234d5", "テスト", "größe", "42"]);
});

// In quadratic time the test would not end.
it.each(["a", "b", "ab", "y", "s", "'"])("takes a word of 200,000 letters from %j", (letters) => {
  const long = letters.repeat(200_000);
  expect(stem(`${long}ing`).length).toBeGreaterThan(long.length - 5);
  expect(stem(`${long}s`).length).toBeGreaterThan(long.length - 5);
});
