import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  docxEntries,
  docxParagraph,
  makeDocx,
  makePptx,
  makeXlsx,
  makeZip,
  properties,
} from "../../../../test/fixtures/ooxml.ts";
import { precheckOffice } from "./precheck.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-precheck-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function saved(bytes: Uint8Array): Promise<string> {
  const file = join(folder, "document");
  await writeFile(file, bytes);
  return file;
}

describe("precheckOffice learns", () => {
  test("what a text document has", async () => {
    const facts = await precheckOffice(await saved(makeDocx({ paragraphs: ["one", "two & three"] })));
    expect(facts).toMatchObject({
      paragraphs: 2,
      characters: 14,
      sheets: [],
      slides: 0,
      macros: false,
      externalLinks: 0,
    });
    expect(facts.kind.fileExt).toBe("docx");
  });

  test.each([
    ["a paragraph", docxParagraph("one two"), 6],
    ["spaces", docxParagraph(" ".repeat(300)), 0],
    ["a field code", `<w:p><w:r><w:instrText>DOCVARIABLE hidden</w:instrText></w:r></w:p>`, 0],
    ["deleted text", `<w:p><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del></w:p>`, 0],
    [
      "hidden text, and text after it",
      `<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:r><w:t>seen</w:t></w:r></w:p>`,
      4,
    ],
    ["text that is not hidden", `<w:p><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>seen</w:t></w:r></w:p>`, 4],
  ])("what of %s a reader sees", async (_, body, shownCharacters) => {
    const facts = await precheckOffice(await saved(makeZip([...docxEntries({ paragraphs: [], body }), properties])));
    expect(facts).toMatchObject({ shownCharacters });
    expect(facts.characters).toBeGreaterThan(100);
  });

  test("what a reader sees of slides", async () => {
    const slides = ["a slide", { text: "a hidden slide", hidden: true }];
    expect(await precheckOffice(await saved(makePptx({ slides })))).toMatchObject({ shownCharacters: 6 });
  });

  test("links that a converter might follow", async () => {
    const bytes = makeDocx({
      paragraphs: ["x"],
      linkedPictures: ["http://192.0.2.1/a.png", "file:///etc/passwd"],
      template: "http://192.0.2.1/a.dotx",
    });
    expect(await precheckOffice(await saved(bytes))).toMatchObject({ externalLinks: 3 });
  });

  test("sheets in order, and which are hidden", async () => {
    const bytes = makeXlsx({
      sheets: [
        { name: "Salaries & more", hidden: true, rows: [[1]] },
        { name: "Übersicht", rows: [["a", 2], [{ formula: "A1", value: "a" }]] },
      ],
    });
    expect(await precheckOffice(await saved(bytes))).toMatchObject({
      sheets: [
        { name: "Salaries & more", hidden: true },
        { name: "Übersicht", hidden: false },
      ],
      cells: 7,
    });
  });

  test("slides, and how many are hidden", async () => {
    const bytes = makePptx({ slides: ["a", { text: "b", hidden: true }, "c"] });
    expect(await precheckOffice(await saved(bytes))).toMatchObject({ slides: 3, hiddenSlides: 1, shapes: 3 });
  });

  test("macros", async () => {
    const relationships = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject" Target="vbaProject.bin"/></Relationships>`;
    const bytes = makeZip([
      ...docxEntries({ paragraphs: ["x"], mainType: "application/vnd.ms-word.document.macroEnabled.main+xml" }),
      { name: "word/_rels/document.xml.rels", data: relationships },
      { name: "word/vbaProject.bin", data: Buffer.from("d0cf11e0a1b11ae1", "hex") },
    ]);
    expect(await precheckOffice(await saved(bytes))).toMatchObject({ macros: true, kind: { fileExt: "docm" } });
  });
});

test("precheckOffice ends with its signal, before and while it reads", async () => {
  const stop = new Error("cancelled");
  const file = await saved(makeDocx({ paragraphs: Array.from({ length: 100_000 }, (_, index) => `number ${index}`) }));
  await expect(precheckOffice(file, { signal: AbortSignal.abort(stop) })).rejects.toBe(stop);

  const controller = new AbortController();
  const running = precheckOffice(file, { signal: controller.signal });
  setImmediate(() => controller.abort(stop));
  await expect(running).rejects.toBe(stop);
});
