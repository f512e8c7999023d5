import { describe, expect, test } from "vitest";
import { canBeCompound, canBeMisspelt, oneSlipAway, partsOfCompound } from "./guesses.ts";

describe("spellings", () => {
  test("include every word that one typing error would turn into this one", () => {
    const found = new Set(oneSlipAway("Integraton"));
    expect(found).toContain("integration");
    expect(new Set(oneSlipAway("integratoin"))).toContain("integration");
    expect(new Set(oneSlipAway("inntegration"))).toContain("integration");
    expect(new Set(oneSlipAway("entegration"))).toContain("integration");
    expect(new Set(oneSlipAway("установкаа"))).toContain("установка");
    expect(found.has("integraton")).toBe(false);
    expect(found.size).toBeLessThan(600);
  });

  test("are only searched for words that are long enough to have few similar words", () => {
    expect(["integration", "Integration", "σύστημα".normalize("NFD").replace(/\u0301/g, "")].every(canBeMisspelt)).toBe(
      true,
    );
    expect(["equal", "x86_64", "ode45ode", "a".repeat(21), "計算計算計算", "getEl*"].some(canBeMisspelt)).toBe(false);
  });
});

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

  test.each(["Kundigungsgrund", "performance", "versicherungen"])("%s is not split", async (word) => {
    expect(await partsOf(word)).toEqual([]);
  });

  test("do not include short words, very long words and codes", () => {
    expect(["frist", "a".repeat(41), "iso9001abc", "trace-monkey"].filter(canBeCompound)).toEqual([]);
  });
});
