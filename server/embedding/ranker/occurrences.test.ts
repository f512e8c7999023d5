import { expect, test } from "vitest";
import { findOccurrences } from "./occurrences.ts";
import { readQuestion } from "./question.ts";

const questions = ["solving equations of the walrus", "dying skis in 2018", "naïve Größe"].map((text) =>
  text.split(" "),
);
const pages = [
  "The Walrus solves an EQUATION and another equation by 2018",
  "die ski skis dying Dinner",
  " Größe  naive naïve ",
  "",
];

test("words of a question are found at the same places however often a page has come", () => {
  for (const terms of questions) {
    // No page that another question has read.
    const own = pages.map((page) => `${page} ${terms.join("")}x`);
    const [first, second, third] = [1, 2, 3].map(() => findOccurrences(readQuestion(terms), own));
    expect(second).toEqual(first);
    expect(third).toEqual(first);
  }
  expect(findOccurrences(readQuestion(["walrus", "equations"]), ["", ...pages.slice(0, 2)])).toEqual({
    lengths: [0, 10, 5],
    starts: [0, 0, 3, 3],
    positions: [1, 4, 7],
    words: [0, 1, 1],
  });
});

test("a word that no page had before is found in a page that comes again", () => {
  const page = "a quokka beside a numbat";
  for (let time = 0; time < 3; time++) {
    expect(findOccurrences(readQuestion(["numbat"]), [page]).positions).toEqual([4]);
  }
});
