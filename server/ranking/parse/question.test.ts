import { expect, it } from "vitest";
import { readQuestion } from "./question.ts";

const wordsOf = (...terms: readonly string[]) => readQuestion(terms).words.map(({ stem }) => stem);

it("leaves out stop words", () => {
  expect(wordsOf("What", "is", "the", "Integrating", "of", "equations")).toEqual(["integr", "equat"]);
});

it("keeps stop words if a question has no other words", () => {
  const { words, pairs, wordOf } = readQuestion(["to", "be", "or", "not", "to", "be"]);
  expect(words.map(({ stem }) => stem)).toEqual(["to", "be", "or", "not"]);
  expect(pairs).toEqual([
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 0],
    [0, 1],
  ]);
  expect(wordOf).toEqual([0, 1, 2, 3, 0, 1]);
  expect(wordsOf("The", "Who")).toEqual(["the", "who"]);
  expect(wordsOf("it")).toEqual(["it"]);
});

it("does not keep the beginnings of stop words", () => {
  expect(wordsOf("after", "all", "afte*")).toEqual(["after", "all"]);
  expect(wordsOf("after", "all", "bills", "afte*", "bill*")).toEqual(["bill", "afte*", "bill*"]);
});
