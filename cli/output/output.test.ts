import { expect, test } from "vitest";
import { formatBytes } from "./amounts.ts";
import { printable, shorten, stringWidth } from "./printable.ts";
import { tableLines } from "./table.ts";

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1_000, "1.0 kB"],
  [99_949, "99.9 kB"],
  [99_999, "100 kB"],
  [999_999, "1.0 MB"],
  [4_700_000, "4.7 MB"],
  [10e9, "10.0 GB"],
])("%i bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test("wide characters count as two columns", () => {
  const lines = tableLines(
    [
      { name: "年次報告", pages: 3 },
      { name: "a", pages: 1158 },
    ],
    [
      { title: "NAME", value: ({ name }) => name },
      { title: "PAGES", align: "right", value: ({ pages }) => String(pages) },
    ],
  );
  expect(lines).toEqual(["NAME      PAGES", "年次報告      3", "a          1158"]);
});

test("long text is cut in the middle to the columns there are", () => {
  expect(shorten("quarterly-report-2026-final.pdf", 16)).toBe("quarterl…nal.pdf");
  expect(stringWidth(shorten("年次報告書年次報告書.pdf", 11))).toBeLessThanOrEqual(11);
});

test("nothing printed can command the terminal or turn the line around", () => {
  expect(printable("a\u001b[31mb\u202egnp.exe\n")).toBe("a\uFFFD[31mb\uFFFDgnp.exe\uFFFD");
});
