import { expect, test } from "vitest";
import { isHidden, isShutOut, isWanted } from "./patterns.ts";

const all = { include: [], exclude: [] };

test.each([
  ["a.pdf", all, true],
  ["deep/er/B.DOCX", all, true],
  ["a.txt", all, false],
  ["pdf", all, false],
  ["deep/A.PDF", { include: ["*.pdf"], exclude: [] }, true],
  ["deep/a.docx", { include: ["*.pdf"], exclude: [] }, false],
  ["deep/scan.bin", { include: ["*.bin"], exclude: [] }, true],
  ["deep/a.pdf", { include: ["deep/*"], exclude: [] }, true],
  ["deep/er/a.pdf", { include: ["deep/*"], exclude: [] }, false],
  ["deep/er/a.pdf", { include: ["deep/**"], exclude: [] }, true],
  ["a.pdf", { include: ["*.docx", "*.pdf"], exclude: [] }, true],
  ["draft of a.pdf", { include: [], exclude: ["draft*"] }, false],
  ["a [1]\nb.pdf", { include: ["*.pdf"], exclude: [] }, true],
])("%j with %j", (path, patterns, wanted) => {
  expect(isWanted(path, patterns)).toBe(wanted);
});

test.each([
  ["drafts", "drafts", true],
  ["2026/Drafts", "drafts", true],
  ["2026/drafts", "drafts/", true],
  ["drafts", "drafts/**", true],
  ["2026/drafts", "drafts/**", false],
  ["2026/drafts", "**/drafts/**", true],
  ["2026", "2026/*.pdf", false],
  ["drafts", "*.pdf", false],
])("the folder %j without %j", (path, pattern, out) => {
  expect(isShutOut(path, { include: [], exclude: [pattern] })).toBe(out);
});

test("hidden files and the locks of Office", () => {
  expect([".git", "~$report.docx", "report.docx"].map(isHidden)).toEqual([true, true, false]);
});
