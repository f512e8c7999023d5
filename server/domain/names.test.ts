import { expect, test } from "vitest";
import { cleanFileName } from "./names.ts";

test.each([
  ["report.pdf", "report.pdf"],
  ["../../etc/passwd", "passwd"],
  ["C:\\Users\\me\\Übersicht 2026.pdf", "Übersicht 2026.pdf"],
  ["a\u0000b\n.pdf", "ab.pdf"],
  ["\u202Efdp.exe", "fdp.exe"],
  ["..", "document.pdf"],
  ["", "document.pdf"],
  ["日本語.pdf", "日本語.pdf"],
])("%j is kept as %j", (given, kept) => {
  expect(cleanFileName(given, "document.pdf")).toBe(kept);
});

test("a long name is cut but keeps its extension", () => {
  const kept = cleanFileName(`${"长".repeat(400)}.pdf`, "document.pdf");
  expect(Array.from(kept)).toHaveLength(255);
  expect(kept).toMatch(/长\.pdf$/);
});
