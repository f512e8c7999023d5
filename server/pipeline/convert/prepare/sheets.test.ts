import { describe, expect, test } from "vitest";
import { renamePrintAreas, sizeCharts, writeOutNames, writeOutPlaces } from "./sheets.ts";

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

describe("headers and footers", () => {
  const sheet = (header: string): string =>
    `<s><headerFooter><oddHeader>${header}</oddHeader></headerFooter><c>&amp;F</c></s>`;
  test.each([
    ["&amp;CCopy of &amp;F", "&amp;CCopy of 1 &amp;&amp; 2.xlsx"],
    ["&amp;Z&amp;F", "1 &amp;&amp; 2.xlsx"],
    ["&amp;12&amp;F", "&amp;12 1 &amp;&amp; 2.xlsx"],
    ["A&amp;&amp;F &amp;P of &amp;N", "A&amp;&amp;F &amp;P of &amp;N"],
    [`&amp;&quot;F&amp;F,Bold&quot;x`, `&amp;&quot;F&amp;F,Bold&quot;x`],
  ])("%s is %s", (header, written) => {
    expect(writeOutNames(sheet(header), "1 & 2.xlsx")).toBe(sheet(written));
  });
});

test.each([
  [`CELL("filename",A1)`, true],
  [`LEFT(info("directory"),3)`, true],
  ["CELLAR(A1)", false],
  ["SUM(A1:A2)", false],
])("the formula %s is taken away: %s", (formula, isGone) => {
  const sheet = `<s><c t="str"><f>${formula.replaceAll('"', "&quot;")}</f><v>stored</v></c><c><f>A1</f></c></s>`;
  const changed = writeOutPlaces(sheet);
  expect(changed).toBe(isGone ? `<s><c t="str"><v>stored</v></c><c><f>A1</f></c></s>` : sheet);
});

test("charts without a size get one", () => {
  const drawing = (ext: string): string => `<d><absoluteAnchor><pos x="0" y="0"/>${ext}</absoluteAnchor></d>`;
  expect(sizeCharts(drawing(`<ext cx="0" cy="0"/>`))).toBe(drawing(`<ext cx="9300000" cy="6070000"/>`));
  expect(sizeCharts(drawing(`<ext cx="5" cy="6"/>`))).toBe(drawing(`<ext cx="5" cy="6"/>`));
});
