import { describe, expect, it } from "vitest";
import { canBeMisspelt, oneSlipAway } from "./spelling.ts";

describe("spellings", () => {
  it("have every word that one slip would turn into this one", () => {
    const found = new Set(oneSlipAway("Integraton"));
    expect(found).toContain("integration");
    expect(new Set(oneSlipAway("integratoin"))).toContain("integration");
    expect(new Set(oneSlipAway("inntegration"))).toContain("integration");
    expect(new Set(oneSlipAway("entegration"))).toContain("integration");
    expect(new Set(oneSlipAway("установкаа"))).toContain("установка");
    expect(found.has("integraton")).toBe(false);
    expect(found.size).toBeLessThan(600);
  });

  it("are sought for words that are long enough to have few neighbours, and are words", () => {
    expect(["integration", "Integration", "σύστημα".normalize("NFD").replace(/\u0301/g, "")].every(canBeMisspelt)).toBe(
      true,
    );
    expect(["equal", "x86_64", "ode45ode", "a".repeat(21), "計算計算計算", "getEl*"].some(canBeMisspelt)).toBe(false);
  });
});
