import { assert, constantFrom, property, string, uniqueArray } from "fast-check";
import { expect, it } from "vitest";
import { askedWords } from "./query-words.ts";
import { queryTerms } from "../terms/terms.ts";

const written = (text: string): readonly string[] => askedWords(text).map((word) => word.written);

it.each<[string, string, string[]]>([
  ["as they are written, without those that say nothing", "Which Cafés are on the Nørregade?", ["Cafés", "Nørregade"]],
  ["once, as they come first", "Pumps and the pump, PUMPING", ["Pumps"]],
  ["with what is within them", "Mie\u00adte von 1,234.50 zahlen", ["Mie\u00adte", "1,234.50", "zahlen"]],
  ["as wholes, of identifiers", "getElementById of ISO9001", ["getElementById", "ISO9001"]],
  ["by pairs of characters", "東京駅", ["東京", "京駅"]],
  ["as people write what text layers write otherwise", "ทำงาน", ["ทำ", "ำง", "ำงา", "งาน"]],
  ["of questions of nothing but words that say nothing", "To be or not to be", ["To", "be", "or", "not"]],
  ["of nothing", "?!", []],
])("the words of a question are taken %s", (_, text, expected) => {
  expect(written(text)).toEqual(expected);
});

it("a word has all terms that are searched for it", () => {
  expect(askedWords("Kündigungsfrist")).toEqual([
    { written: "Kündigungsfrist", terms: ["Kundigungsfrist", "Kundi*", "*ngsfrist*"], parts: [] },
  ]);
  expect(askedWords("the TraceMonkey")).toEqual([
    { written: "TraceMonkey", terms: ["TraceMonkey"], parts: ["Trace", "Monkey"] },
  ]);
  expect(askedWords("the ISO9001")).toEqual([{ written: "ISO9001", terms: ["ISO9001", "ISO", "9001"], parts: [] }]);
  expect(askedWords("السلام")[0]?.terms).toEqual(expect.arrayContaining(["السلام", "السالم", "السا*"]));
});

it("every term that an index is searched for belongs to a word", () => {
  const words = constantFrom(
    ..."Kündigungsfrist die der Pumpen pump's getElementById ISO9001 e-mail 1.234,5 東京駅 السلام the of what to be Schiff".split(
      " ",
    ),
  );
  assert(
    property(uniqueArray(words, { maxLength: 8 }), string({ unit: "binary", maxLength: 8 }), (some, other) => {
      const text = [...some, other].join(" ");
      const lower = (terms: readonly string[]): readonly string[] => [
        ...new Set(terms.map((term) => term.toLowerCase())),
      ];
      expect(lower(askedWords(text).flatMap(({ terms }) => terms)).toSorted()).toEqual(
        expect.arrayContaining([...lower(queryTerms(text).terms)].toSorted()),
      );
    }),
  );
});
