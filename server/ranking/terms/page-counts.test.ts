import { expect, it } from "vitest";
import { type ExpandedWord, pageCounter } from "./page-counts.ts";
import { pageTerms } from "./terms.ts";

const asked = (written: string, roots: readonly string[], guesses: readonly string[] = []): ExpandedWord => ({
  written,
  roots,
  guesses,
});
const count = (page: string, ...words: readonly ExpandedWord[]) => pageCounter(words)(pageTerms(page));

it("counts words in all of their forms, and how many terms the page has", () => {
  expect(count("The pumps pumped; a seal", asked("Pump", ["pump"]), asked("valve", ["valv"]))).toEqual({
    length: 5,
    words: [
      { count: 2, foundAs: [] },
      { count: 0, foundAs: [] },
    ],
  });
});

it("counts a word once, even if it matches in several ways", () => {
  const trace = asked("trace", ["trace"]);
  const both = asked("TraceMonkey", ["tracemonkey", "trace", "monkey"]);
  expect(count("TraceMonkey and the trace of TraceMonkey", trace, both).words).toEqual([
    { count: 3, foundAs: [] },
    { count: 3, foundAs: [] },
  ]);
});

it("finds beginnings and ends if the page has them", () => {
  const ship = asked("Schiff", ["schiff", "schi*", "schif*", "*chiff*"]);
  expect(count("Das Dampfschiff und die Schiffe fährt das Schiff für die Donau", ship).words).toEqual([
    { count: 3, foundAs: [] },
  ]);
  expect(count("The schifos of the page", ship).words).toEqual([{ count: 0, foundAs: [] }]);
});

it("returns each guessed word once, as the page has it", () => {
  const walrus = asked("walrsu", ["walrsu"], ["walrus", "walru"]);
  expect(count("Walrus walruses Walrus", walrus).words).toEqual([{ count: 3, foundAs: ["Walrus", "walruses"] }]);
  expect(count("nothing", walrus).words).toEqual([{ count: 0, foundAs: [] }]);
});
