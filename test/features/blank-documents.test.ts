import { createDrs, type Drs, type Job } from "@drs/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { docxEntries, makeZip, pptxEntries, properties, xlsxEntries } from "../fixtures/ooxml.ts";
import { startServer, type TestServer } from "../service/start.ts";
import { hasTool, toolReason } from "../service/tools.ts";

const document = (body: string): Buffer<ArrayBuffer> => makeZip([...docxEntries({ paragraphs: [], body }), properties]);
const show = (text: string | undefined): Buffer<ArrayBuffer> =>
  makeZip([...pptxEntries({ slides: [{ text }] }), properties]);
const book = (rows: string[][]): Buffer<ArrayBuffer> =>
  makeZip([...xlsxEntries({ sheets: [{ name: "Sheet1", rows }] }), properties]);
const run = (content: string): string => `<w:p><w:r>${content}</w:r></w:p>`;
const long = "Nothing of this is to be seen by anybody who reads it. ".repeat(5);
const field = `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>DOCVARIABLE "${long}"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;
const drawing = `<w:pict><v:rect xmlns:v="urn:schemas-microsoft-com:vml" style="width:100pt;height:100pt" fillcolor="red"/></w:pict>`;

/** Legal documents without a word on their pages. */
const documents: Readonly<Record<string, readonly [file: Buffer<ArrayBuffer>, pages: number]>> = {
  "no paragraph.docx": [document(""), 1],
  "blank.docx": [document("<w:p/>"), 1],
  "spaces.docx": [document(run(`<w:t xml:space="preserve">${" ".repeat(300)}</w:t>`)), 1],
  "field.docx": [document(field), 1],
  "hidden.docx": [document(run(`<w:rPr><w:vanish/></w:rPr><w:t>${long}</w:t>`)), 1],
  "two pages.docx": [document(run(`<w:br w:type="page"/>`) + "<w:p/>"), 2],
  "drawing.docx": [document(run(drawing)), 1],
  "empty slide.pptx": [show(undefined), 1],
  "empty box.pptx": [show(""), 1],
  "empty sheet.xlsx": [book([]), 1],
  "blank cells.xlsx": [book([["", " "], [" "]]), 1],
};

describe.each([
  { engine: "soffice", needs: ["soffice"] },
  { engine: "wasm", needs: [] },
])("by $engine", ({ engine, needs }) => {
  describe.skipIf(needs.some((name) => !hasTool(name)))(`blank documents are documents${toolReason(...needs)}`, () => {
    let server: TestServer;
    let drs: Drs;
    const jobs = new Map<string, Job>();

    beforeAll(async () => {
      server = await startServer({ converter: engine });
      drs = createDrs({ server: server.url, apiKey: server.credentials.apiKey });
      const accepted = Object.entries(documents).map(async ([fileName, [file]]) => {
        const { id } = await drs.datasets.upload(file, { fileName, vectorize: true });
        jobs.set(fileName, await drs.jobs.wait(id));
      });
      await Promise.all(accepted);
    }, 600_000);
    afterAll(() => server.remove());

    test.each(Object.entries(documents))("%s", async (fileName, [, pages]) => {
      const job = jobs.get(fileName);
      expect(job).toMatchObject({ status: "SUCCESS", statusText: "", failures: [] });
      expect(await drs.datasets.get(job?.datasetId ?? "")).toMatchObject({ itemCount: pages });
    });
  });
});
