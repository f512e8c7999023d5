import { expect, test } from "vitest";
import { readDateFormat } from "./date-format.ts";

test.each([
  ["[$-407]dddd, d. mmmm yyyy", "Samstag, 9. März 2024"],
  ["[$-40C]ddd d mmmm yy;@", "sam. 9 mars 24"],
  [`[$-411]ggge"年"m"月"d"日"`, "令和6年3月9日"],
  ["[$-411]ge.mm.dd", "R6.03.09"],
  ["[$-804]aaaa", "星期六"],
  ["[$-412]yyyy\\년 dddd", "2024년 토요일"],
  ["[$-D07041E]d mmmm yyyy", "๙ มีนาคม ๒๕๖๗"],
  ["[$-407]d. mmm h:mm:ss AM/PM", "9. Mär 6:30:05 PM"],
  ["[Red][$-410]mmmm", "marzo"],
  // The converter writes formats that need no names, and those that follow the system.
  ["[$-407]dd.mm.yyyy", undefined],
  ["[$-409]mmmm", undefined],
  ["[$-F800]dddd, mmmm dd, yyyy", undefined],
  ["[$€-407] #,##0.00", undefined],
  ["[$-407][h]:mm mmmm", undefined],
  ["mmmm", undefined],
  ["General", undefined],
])("%s", (code, text) => {
  expect(readDateFormat(code)?.format(45_360 + (18.5 * 60 + 5 / 60) / 1_440, false)).toBe(text);
});

test("days are counted as Excel does", () => {
  const format = readDateFormat("[$-407]dddd d. mmmm yyyy");
  expect(format?.format(1, false)).toBe("Montag 1. Januar 1900");
  expect(format?.format(61, false)).toBe("Donnerstag 1. März 1900");
  expect(format?.format(0, true)).toBe("Freitag 1. Januar 1904");
});
