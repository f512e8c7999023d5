import { expect, test } from "vitest";
import { findInTexts } from "./find-in-texts.ts";

const questions = ["solving equations of the walrus", "dying skis in 2018", "naïve Größe"].map((text) =>
  text.split(" "),
);
const pages = [
  "The Walrus solves an EQUATION and another equation by 2018",
  "die ski skis dying Dinner",
  " Größe  naive naïve ",
  "",
];

test("terms of a question are found at the same places however often a page has been read", () => {
  for (const terms of questions) {
    // A page that no other question has read.
    const own = pages.map((page) => `${page} ${terms.join("")}x`);
    const [first, second, third] = [1, 2, 3].map(() => findInTexts(terms, own));
    expect(second).toEqual(first);
    expect(third).toEqual(first);
  }
  expect(findInTexts(["walrus", "equations", "an", "Equation"], ["", undefined, ...pages.slice(0, 2)])).toEqual([
    { length: 0, places: [], asked: [] },
    undefined,
    { length: 10, places: [1, 3, 4, 7], asked: [0, 2, 1, 1] },
    { length: 5, places: [], asked: [] },
  ]);
});

test("a word of a new question is found on a page that was read before", () => {
  const page = "a quokka beside a numbat";
  for (let time = 0; time < 3; time++) expect(findInTexts(["numbat"], [page])[0]?.places).toEqual([4]);
});
