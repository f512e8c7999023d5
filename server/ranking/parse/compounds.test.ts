import { describe, expect, test } from "vitest";
import { canBeCompound, partsOfCompound } from "./compounds.ts";

const words = new Set(
  "kundigung frist dampf schiff schifffahrt donau haus arbeit geber light house keeper versicherung".split(" "),
);
const partsOf = (word: string) => partsOfCompound(word, async (part) => words.has(part));

describe("compounds", () => {
  test.each([
    ["Kundigungsfrist", ["kundigung", "frist"]],
    ["Dampfschiff", ["dampf", "schiff"]],
    ["Dampfschifffahrt", ["dampf", "schifffahrt"]],
    ["Arbeitgeber", ["arbeit", "geber"]],
    ["Arbeitsversicherung", ["arbeit", "versicherung"]],
    ["lighthouse", ["light", "house"]],
  ])("%s has known parts", async (word, parts) => expect(await partsOf(word)).toEqual(parts));

  test.each(["Kundigungsgrund", "performance", "versicherungen"])("%s is left whole", async (word) => {
    expect(await partsOf(word)).toEqual([]);
  });

  test("short words, endless ones and codes are none", () => {
    expect(["frist", "a".repeat(41), "iso9001abc", "trace-monkey"].filter(canBeCompound)).toEqual([]);
  });
});
