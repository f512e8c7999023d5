import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeDatesXlsx } from "../../../../test/fixtures/dates-xlsx.ts";
import { docxEntries, makeDocx, makeXlsx, makeZip, xlsxEntries } from "../../../../test/fixtures/ooxml.ts";
import { withParts } from "../parts.ts";
import { precheckOffice } from "../precheck/precheck.ts";
import { prepareOffice } from "./prepare.ts";

let folder: string;
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-prepare-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const { signal } = new AbortController();

/** The parts of the prepared document by their names; undefined if it is not changed. */
async function prepared(document: Buffer, fileName = "own name"): Promise<ReadonlyMap<string, string> | undefined> {
  count += 1;
  const file = join(folder, `document-${count}`);
  await writeFile(file, document);
  const facts = await precheckOffice(file);
  const copy = await prepareOffice({ file, facts, fileName, signal }, join(folder, `copy-${count}`));
  if (copy === file) return undefined;
  // The pre-check verifies the checksum of every part, and that the container has no overlaps.
  await precheckOffice(copy);
  return withParts(copy, signal, async ({ office, bytes }) => {
    const texts = new Map<string, string>();
    for (const { name } of office.directory.entries) texts.set(name, (await bytes(name, 2 ** 20)).toString());
    return texts;
  });
}

const area = { printArea: "$A$1:$B$2", rows: [["a", 1]] } as const;

test("a workbook with a hidden print area is copied, whole, and nothing else is", async () => {
  const sheets = [
    { name: "Shown", ...area },
    { name: "Hidden", hidden: true, ...area },
  ];
  expect(await prepared(makeXlsx({ sheets: sheets.slice(0, 1) }))).toBeUndefined();
  const parts = await prepared(makeXlsx({ sheets }));
  expect([...(parts?.keys() ?? [])].toSorted()).toEqual(
    xlsxEntries({ sheets })
      .map(({ name }) => name)
      .toSorted(),
  );
  expect(parts?.get("xl/workbook.xml")).toContain("hidden.print.area.0");
});

test("distant invisible cells are removed, and visible ones are not", async () => {
  const far = (cell: string): Buffer<ArrayBuffer> =>
    makeZip(
      xlsxEntries({ sheets: [{ name: "S", rows: [["a", " "]] }] }).map((entry) =>
        entry.name.endsWith("sheet1.xml")
          ? { ...entry, data: String(entry.data).replace("</sheetData>", `<row r="1048576">${cell}</row></sheetData>`) }
          : entry,
      ),
    );
  const blank = await prepared(far(`<c r="XFD1048576" t="inlineStr"><is><t> </t></is></c>`));
  expect(blank?.get("xl/worksheets/sheet1.xml")).not.toMatch(/XFD1048576|"B1"/);
  expect(await prepared(far(`<c r="XFD1048576"><v>1</v></c>`))).toBeUndefined();
  expect(await prepared(far(`<c r="XFD1048576"><f>A1</f></c>`))).toBeUndefined();
});

test("localised dates become texts, and keep their values", async () => {
  const cells = `<c r="A1" s="1"><v>45360</v></c><c r="B1" s="1"><f>A1+7</f><v>45367</v></c><c r="C1" s="1"><v>45361</v></c><c r="D1" s="0"><v>45360</v></c>`;
  const parts = await prepared(makeDatesXlsx("[$-407]dddd &quot;x&quot;", cells));
  expect(parts?.get("xl/worksheets/sheet1.xml")).toContain(
    cells.replace('A1" s="1"', 'A1" s="2"').replace('B1" s="1"', 'B1" s="2"').replace('C1" s="1"', 'C1" s="3"'),
  );
  expect(parts?.get("xl/styles.xml")).toContain(
    `formatCode="&quot;Samstag x&quot;"/><numFmt numFmtId="202" formatCode="&quot;Sonntag x&quot;"/></numFmts><cellXfs count="4">`,
  );
  expect(parts?.get("xl/styles.xml")).toContain(
    `<xf applyNumberFormat="1" numFmtId="202" fontId="0"><alignment/></xf></cellXfs>`,
  );
});

test("dates for which a workbook has no room for formats become texts without values", async () => {
  const hours = Array.from({ length: 5_002 }, (_, at) => 45_360 + at / 24);
  const cells = hours.map((hour, at) => `<c r="A${at}" s="1" t="n"><v>${hour}</v></c>`).join("");
  const parts = await prepared(makeDatesXlsx("[$-407]mmmm d h", cells));
  const sheet = parts?.get("xl/worksheets/sheet1.xml") ?? "";
  expect(sheet.slice(-400)).toContain(`<c r="A4999" s="5001" t="n"><v>${hours[4_999]}</v></c>`);
  expect(sheet.slice(-200)).toContain('<c t="str" r="A5001" s="1"><v>Oktober 3 9</v></c></row>');
});

test("the parts that a text document has in other formats are in it", async () => {
  const body = `<w:altChunk r:id="rId7"/>`;
  const entries = docxEntries({ paragraphs: ["before"], body, linkedPictures: ["http://127.0.0.1/a.png"] });
  const type = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk";
  const related = entries.map((entry) =>
    entry.name.endsWith("document.xml.rels")
      ? {
          ...entry,
          data: String(entry.data).replace("</R", `<Relationship Id="rId7" Type="${type}" Target="a.htm"/></R`),
        }
      : entry,
  );
  const parts = await prepared(makeZip([...related, { name: "word/a.htm", data: "<h1>A &amp; B</h1><p>c</p>" }]));
  expect(parts?.get("word/document.xml")).toMatch(/before.*<w:p><w:r><w:t[^>]*>A &amp; B<.*<w:p>.*>c<\/w:t>/);
});

test("a text document without any of these is not changed", async () => {
  expect(await prepared(makeDocx({ paragraphs: ["a"] }))).toBeUndefined();
});
