import { expect, test } from "vitest";
import { plainStyle, type Style } from "../terminal/style.ts";
import { formatAge, formatBytes } from "./amounts.ts";
import { printable, shorten, stringWidth } from "./printable.ts";
import { type Column, createTable, tableLines } from "./table.ts";

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

test.each([
  [0, "now"],
  [-59_999, "now"],
  [-60_000, "1 min ago"],
  [-3 * 3_600_000, "3 h ago"],
  [-26 * 3_600_000, "1 d ago"],
  [2 * 24 * 3_600_000 + 1, "in 2 d"],
  [-45 * 24 * 3_600_000, "1 mo ago"],
  [-400 * 24 * 3_600_000, "1 y ago"],
])("%i ms from now is %s", (distance, text) => {
  const now = 1_790_000_000_000;
  expect(formatAge(now + distance, now)).toBe(text);
});

test("no time is a dash", () => {
  expect(formatAge(null)).toBe("–");
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

interface Entry {
  readonly id: string;
  readonly name: string;
}

const entryColumns: readonly Column<Entry>[] = [
  { title: "ID", value: ({ id }) => id },
  { title: "NAME", minColumns: 8, value: ({ name }) => name, link: ({ id }) => `http://a.example/${id}` },
  { title: "AGE", rank: 2, value: () => "5 min ago" },
  { title: "NOTE", rank: 1, value: () => "nothing", colour: () => "red" },
];
const entries: readonly Entry[] = [{ id: "ds_1", name: "年次報告書 of a company.pdf" }];

test.each([
  [60, ["ID    NAME                         AGE        NOTE", "ds_1  年次報告書 of a company.pdf  5 min ago  nothing"]],
  [40, ["ID    NAME            AGE        NOTE", "ds_1  年次報告….pdf   5 min ago  nothing"]],
  [30, ["ID    NAME           AGE", "ds_1  年次報告….pdf  5 min ago"]],
  [20, ["ID    NAME", "ds_1  年次報告….pdf"]],
  // No column can be left out any more, and no name be shorter.
  [10, ["ID    NAME", "ds_1  年次…df"]],
])("a table in %i columns leaves out and cuts as little as it must", (columns, expected) => {
  expect(tableLines(entries, entryColumns, { ...plainStyle, columns })).toEqual(expected);
});

test("colours and links are no part of a width", () => {
  const style: Style = {
    ...plainStyle,
    columns: 60,
    colour: (colour, text) => `<${colour}>${text}</>`,
    link: (text, url) => `<${url}>${text}</>`,
  };
  expect(tableLines([{ id: "ds_1", name: "a.pdf" }], entryColumns, style)).toEqual([
    "ID    NAME   AGE        NOTE",
    "ds_1  <http://a.example/ds_1>a.pdf</>  5 min ago  <red>nothing</>",
  ]);
});

test("a table that grows keeps its columns and has its titles once", () => {
  const table = createTable(entryColumns, { ...plainStyle, columns: 30 });
  const first = table.lines([{ id: "ds_1", name: "a.pdf" }]);
  const second = table.lines([{ id: "ds_22", name: "a name that is much longer than the first.pdf" }]);
  expect(first).toEqual(["ID    NAME   AGE", "ds_1  a.pdf  5 min ago"]);
  expect(second).toHaveLength(1);
  expect(stringWidth(second[0] ?? "")).toBeLessThanOrEqual(30);
  expect(second[0]).toMatch(/^ds_22 {2}a na.*… ?.*pdf {2}5 min ago$/);
  expect(table.lines([])).toEqual([]);
});
