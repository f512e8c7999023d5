import { describe, expect, it } from "vitest";
import { snippetIn } from "./snippet.ts";

const words = (...stems: readonly string[]) => stems.map((stem, place) => ({ roots: [stem], weight: 2 ** -place }));
const filler = (count: number): string => Array.from({ length: count }, (_, index) => `filler${index}`).join(" ");
const markedIn = (snippet: ReturnType<typeof snippetIn>): string[] =>
  (snippet?.marks ?? []).map(({ start, length }) => snippet?.text.slice(start, start + length) ?? "");

describe("a snippet", () => {
  it("is the whole of a short text, on one line, with its words marked", () => {
    const snippet = snippetIn("Pumps of\n the first\tkind.\nSeals", words("pump", "seal"));
    expect(snippet?.text).toBe("Pumps of the first kind. Seals");
    expect(markedIn(snippet)).toEqual(["Pumps", "Seals"]);
  });

  it("is taken where most different words are close together", () => {
    const text = `pump pump pump ${filler(80)} the pump has a seal ${filler(80)} seal seal`;
    const snippet = snippetIn(text, words("pump", "seal"));
    expect(markedIn(snippet)).toEqual(["pump", "seal"]);
    expect(snippet?.text).toMatch(/^…filler\d+ .* the pump has a seal .* filler\d+…$/);
    expect(snippet?.text.length).toBeLessThanOrEqual(242);
  });

  it("is the beginning of a text that has none of the words", () => {
    const snippet = snippetIn(`Harvest ${filler(80)}`, words("pump"));
    expect(snippet?.text).toMatch(/^Harvest filler0 .*filler\d+…$/);
    expect(snippet?.marks).toEqual([]);
  });

  it("ends with the text if the words are at its end", () => {
    const snippet = snippetIn(`${filler(80)} pump`, words("pump"));
    expect(snippet?.text).toMatch(/^…filler.* pump$/);
    expect(markedIn(snippet)).toEqual(["pump"]);
  });

  it("of a script without spaces has whole characters", () => {
    const snippet = snippetIn(`${"𠮷野家の".repeat(120)}電車${"𠮷野家".repeat(120)}`, words("電車"));
    expect(markedIn(snippet)).toEqual(["電車"]);
    expect(snippet?.text.isWellFormed()).toBe(true);
  });

  it("does not exist for an empty text", () => {
    expect(snippetIn(" \n", words("pump"))).toBeUndefined();
  });
});
