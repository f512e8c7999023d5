import { expect, test } from "vitest";
import { weighWords } from "./explain-words.ts";

const rootsOf = (...question: readonly string[]): readonly (readonly string[])[] =>
  weighWords({ question, pages: [] }).map(({ roots }) => roots);

test("words that are weighed have the roots of all that pages are found by for them", () => {
  expect(rootsOf("Schiff", "Schi*", "Schif*")).toEqual([["schiff", "schi*", "schif*", "*chiff*"]]);
  expect(rootsOf("how", "pumps", "work")).toEqual([["pump"], ["work"]]);
  expect(rootsOf("لا")).toEqual([["لا", "ال"]]);
});

test("parts of an identifier are words without forms of their own", () => {
  expect(rootsOf("TraceMonkey", "Trace", "Monkey", "Trace*", "Trac*")).toEqual([
    ["tracemonkey", "trace*", "*cemonkey*"],
    ["trace"],
    ["monkey"],
  ]);
});
