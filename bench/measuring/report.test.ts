import { expect, it } from "vitest";
import { createReport, reportText, tableText } from "./report.ts";

it("aligns words to the left and numbers to the right", () => {
  const text = tableText([
    { document: "octave", pages: 1158, ratio: 0.123 },
    { document: "a", pages: 14, ratio: 12.34 },
  ]);
  expect(text).toBe("  document  pages  ratio\n  octave     1158   0.12\n  a            14   12.3\n");
});

it("says which bars are met and what was left out", () => {
  const report = createReport(() => undefined);
  report.bar("wall", 9.5, 8, "s");
  report.bar("CPU", 0.2, 0.3, "× peers");
  report.skip("uploads", "curl is not installed");
  const text = reportText(report);
  expect(text).toMatch(/wall +9\.50 s +≤ 8 s +NO/);
  expect(text).toMatch(/CPU +0\.20 × peers +≤ 0\.3 × peers +yes/);
  expect(text).toContain("SKIPPED uploads: curl is not installed");
});
