import { expect, test } from "vitest";
import { snippetParts } from "./snippet-parts.ts";

test("a snippet begins shortly before the first word of the question", () => {
  const text = "Compost feeds the soil all year round, and so does mulch. The heat pump warms the house.";
  const marks = ["heat", "pump"].map((word) => ({ start: text.indexOf(word), length: word.length }));
  expect(snippetParts({ text, marks })).toEqual([
    { text: "…", isMarked: false },
    { text: "year round, and so does mulch. The ", isMarked: false },
    { text: "heat", isMarked: true },
    { text: " ", isMarked: false },
    { text: "pump", isMarked: true },
    { text: " warms the house.", isMarked: false },
  ]);
});

test("one without words of the question is shown from its beginning", () => {
  const text = "A spade, a hoe and a rake.";
  expect(snippetParts({ text, marks: [] })).toEqual([{ text, isMarked: false }]);
});

test("a script without spaces begins at the word", () => {
  const text = `${"野".repeat(100)}電車`;
  expect(snippetParts({ text, marks: [{ start: 100, length: 2 }] })).toEqual([
    { text: "…", isMarked: false },
    { text: "電車", isMarked: true },
  ]);
});
