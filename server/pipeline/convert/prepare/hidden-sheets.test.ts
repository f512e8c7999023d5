import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeXlsx } from "../../../../test/fixtures/ooxml.ts";
import { precheckOffice } from "../precheck/precheck.ts";
import { renamePrintAreas, withoutHiddenPrintAreas } from "./hidden-sheets.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-hidden-sheets-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const area = { printArea: "$A$1:$B$2", rows: [["a", 1]] } as const;

test("a workbook with a hidden print area is copied, whole, and nothing else is", async () => {
  const sheets = [
    { name: "Shown", ...area },
    { name: "Hidden", hidden: true, ...area },
  ];
  for (const [name, count] of [
    ["one.xlsx", 1],
    ["two.xlsx", 2],
  ] as const) {
    const file = join(folder, name);
    await writeFile(file, makeXlsx({ sheets: sheets.slice(0, count) }));
    const facts = await precheckOffice(file);
    const prepared = await withoutHiddenPrintAreas(file, facts, join(folder, `copy of ${name}`));
    expect(prepared === file).toBe(count === 1);
    // The pre-check proves every part by its checksum, and that the container has no overlaps.
    const { inflatedBytes: _, ...others } = facts;
    expect(await precheckOffice(prepared)).toMatchObject(others);
  }
});

test.each([
  ["of a hidden sheet", `<d><definedName name="_xlnm.Print_Area" localSheetId="1">A</definedName></d>`, false],
  ["in other quotes and case", `<d><definedName\n localSheetId='1' name='_XLNM.PRINT_AREA'>A</definedName></d>`, false],
  [
    "with signs in its attributes",
    `<d><definedName comment="a > b" name="_xlnm.Print_Area" localSheetId="1"/></d>`,
    false,
  ],
  ["of a sheet that is shown", `<d><definedName name="_xlnm.Print_Area" localSheetId="0">A</definedName></d>`, true],
  ["in a comment", `<d><!-- <definedName name="_xlnm.Print_Area" localSheetId="1"/> --></d>`, true],
  ["of another name", `<d><definedName name="_xlnm.Print_Titles" localSheetId="1">A</definedName></d>`, true],
])("a print area %s", (_, workbook, stays) => {
  const changed = renamePrintAreas(workbook, new Set([1]));
  expect(changed === workbook).toBe(stays);
  expect(/_xlnm\.print_area/i.test(changed)).toBe(stays && /print_area/i.test(workbook));
});
