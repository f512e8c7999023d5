import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { readText } from "./read-text.ts";

const plain = { phrases: [], without: [], withoutPhrases: [] };

describe("the text of a query", () => {
  it.each([
    "how do I round -1.5?",
    "tar -x -v and ls --help",
    'the e-mail of a 17" and a 19" screen',
    "it's the king's",
    'an "unfinished quote',
    '"" and " ?! "',
    "計算の方法",
    "the range 3 -4, COVID-19 and -1.5e3 with -O3 -std=c++17 -foo.bar",
    "17” wide, foo” bar and “baz of 19 inches",
    "Comment » et « pourquoi",
  ])("%s is words alone", (text) => expect(readText(text)).toEqual({ text, ...plain }));

  it.each([
    ['the "steering gear" of ships', "the  steering gear  of ships", ["steering gear"], []],
    ["„drei Monate“ und «deux mois»", "drei Monate  und  deux mois", ["drei Monate", "deux mois"], []],
    ["jaguar -car −engine", "jaguar", [], ["car", "engine"]],
    ['-draft "final report"', "final report", ["final report"], ["draft"]],
    ['"a -draft report"', "a -draft report", ["a -draft report"], []],
    [
      '»drei Monate« oder ”två år” om „1 rok"',
      "drei Monate  oder  två år  om  1 rok",
      ["drei Monate", "två år", "1 rok"],
      [],
    ],
    ["»kaksi vuotta» ＂契約 期間＂", "kaksi vuotta   契約 期間", ["kaksi vuotta", "契約 期間"], []],
    ["report -letter. Or -memo, (or not) -note?", "report . Or , (or not) ?", [], ["letter", "memo", "note"]],
    ["virus -COVID19 -re\u0301sume\u0301", "virus", [], ["COVID19", "re\u0301sume\u0301"]],
  ])("%s has conditions", (written, text, phrases, without) =>
    expect(readText(written)).toEqual({ text, phrases, without, withoutPhrases: [] }),
  );

  it.each([
    ['ship -"steering gear" of', "ship  of", ["steering gear"]],
    ["ship −„steering gear“ -«deux mois»", "ship", ["steering gear", "deux mois"]],
    ['ship -"engines"', "ship", ["engines"]],
    ["jaguar -e-mail -state-of-the-art.", "jaguar  .", ["e-mail", "state-of-the-art"]],
    ["観光 -東京 －東京タワー、京都　-서울", "観光  、京都", ["東京", "東京タワー", "서울"]],
  ])("%s leaves out phrases", (written, text, withoutPhrases) =>
    expect(readText(written)).toEqual({ ...plain, text, withoutPhrases }),
  );

  it("has phrases of both kinds", () => {
    expect(readText('a-"hull" -"steering gear" "rudder stock" -draft')).toEqual({
      text: "a- hull    rudder stock",
      phrases: ["hull", "rudder stock"],
      without: ["draft"],
      withoutPhrases: ["steering gear"],
    });
  });

  it("must have words to search for", () => {
    expect(() => readText("-draft")).toThrow("only says what to leave out (-draft); add words to look for");
    expect(() => readText('-"final report" -draft.')).toThrow('(-draft -"final report"); add words to look for');
    expect(readText("")).toEqual({ text: "", ...plain });
  });

  it("has a bounded number of conditions, whatever the text", () => {
    expect(readText('"a" '.repeat(1_000)).phrases).toHaveLength(8);
    expect(readText(`x${" -word".repeat(1_000)}`).without).toHaveLength(16);
    expect(readText(`x${' -"a word"'.repeat(1_000)}`).withoutPhrases).toHaveLength(8);
    assert(
      property(string({ unit: "binary", maxLength: 80 }), (text) => {
        const { phrases, without, withoutPhrases } = readText(`x ${text}`);
        expect(phrases.length + without.length + withoutPhrases.length).toBeLessThanOrEqual(32);
      }),
    );
  });
});
