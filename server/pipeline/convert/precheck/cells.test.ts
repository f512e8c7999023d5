import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeXlsx, makeZip, xlsxEntries } from "../../../../test/fixtures/ooxml.ts";
import { DocumentError } from "../../errors.ts";
import { conversionSentences } from "../converter.ts";
import { cellAt, fittingFailure, placeOf } from "./cells.ts";
import { precheckOffice } from "./precheck.ts";

test.each([
  ["A1", 1, 1],
  ["Z9", 9, 26],
  ["AA10", 10, 27],
  ["XFD1048576", 1_048_576, 16_384],
])("%s is row %i, column %i, and back", (cell, row, column) => {
  expect(placeOf(cell)).toEqual({ row, column });
  expect(cellAt(row, column)).toBe(cell);
});

test.each(["", "A", "1", "XFE1", "A1048577", "A1:B2"])("%j is no cell", (text) => {
  expect(placeOf(text)).toEqual({ row: 0, column: 0 });
});

test("the failure of a spreadsheet with a distant cell is explained; others are not", async () => {
  const folder = await mkdtemp(join(tmpdir(), "drs-cells-"));
  const factsOf = async (bytes: Uint8Array) => {
    await writeFile(join(folder, "a.xlsx"), bytes);
    return precheckOffice(join(folder, "a.xlsx"));
  };
  try {
    const sheets = [{ name: "Data", rows: [["word", 1], [2]] }];
    const blank = '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t xml:space="preserve"> </t></is></c></row>';
    const far = xlsxEntries({ sheets }).map((entry) =>
      entry.name === "xl/worksheets/sheet1.xml"
        ? { ...entry, data: String(entry.data).replace("</sheetData>", `${blank}</sheetData>`) }
        : entry,
    );
    const tooLong = conversionSentences.time(90_000);
    expect(fittingFailure(tooLong, await factsOf(makeZip(far)))).toMatchObject({
      fault: "too-heavy",
      message: expect.stringMatching(/^a sheet reaches to the cell XFD1048576, .*delete the rows/),
    });
    expect(fittingFailure(tooLong, await factsOf(makeXlsx({ sheets })))).toBe(tooLong);
    const damaged = new DocumentError("damaged", "it is damaged");
    expect(fittingFailure(damaged, await factsOf(makeZip(far)))).toBe(damaged);
  } finally {
    await rm(folder, { recursive: true });
  }
});
