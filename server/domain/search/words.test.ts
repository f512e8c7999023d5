import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { readText } from "./words.ts";

const plain = { phrases: [], without: [] };

describe("the text of a query", () => {
  it.each([
    "how do I round -1.5?",
    "tar -x -v and ls --help",
    'the e-mail of a 17" and a 19" screen',
    "it's the king's",
    'an "unfinished quote',
    '"" and " ?! "',
    "計算の方法",
  ])("%s is words alone", (text) => expect(readText(text)).toEqual({ text, ...plain }));

  it.each([
    ['the "steering gear" of ships', "the  steering gear  of ships", ["steering gear"], []],
    ["„drei Monate“ und «deux mois»", "drei Monate  und  deux mois", ["drei Monate", "deux mois"], []],
    ["jaguar -car −engine", "jaguar", [], ["car", "engine"]],
    ['-draft "final report"', "final report", ["final report"], ["draft"]],
    ['"a -draft report"', "a -draft report", ["a -draft report"], []],
  ])("%s has conditions", (written, text, phrases, without) =>
    expect(readText(written)).toEqual({ text, phrases, without }),
  );

  it("needs something to look for", () => {
    expect(() => readText("-draft")).toThrow("add words to look for");
    expect(readText("")).toEqual({ text: "", ...plain });
  });

  it("has a bounded number of conditions, whatever it is", () => {
    expect(readText('"a" '.repeat(1_000)).phrases).toHaveLength(8);
    expect(readText(`x${" -word".repeat(1_000)}`).without).toHaveLength(16);
    assert(
      property(string({ unit: "binary", maxLength: 80 }), (text) => {
        const { phrases, without } = readText(`x ${text}`);
        expect(phrases.length + without.length).toBeLessThanOrEqual(24);
      }),
    );
  });
});
