import { makeDatesXlsx } from "../../../../test/fixtures/dates-xlsx.ts";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { docxEntries, makeDocx, makePptx, makeXlsx, makeZip, pptxEntries } from "../../../../test/fixtures/ooxml.ts";
import { findLosses, type Losses } from "./find-losses.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-losses-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The losses that are found if these are the words of the pages. */
async function lossesOf(document: Buffer, ...pages: readonly string[]): Promise<Losses> {
  const file = join(folder, "document");
  await writeFile(file, document);
  const words = async function* (): AsyncGenerator<string> {
    yield* pages;
  };
  return findLosses(file, { words, hasFont: async () => false, signal: new AbortController().signal });
}
const none = { warnings: [], isLost: false };

describe("what arrives in another form has arrived", () => {
  test.each([
    [
      "broken lines and hyphens",
      "the lighthouse keeper's extraordinary journey",
      "the light-\nhouse keeper’s extra\u00ad\nordinary journey",
    ],
    ["letters that are set apart", "maintenance backlog", "M A I N T E N A N C E  B A C K L O G"],
    ["ligatures and forms", "affluent office", "aﬄuent oﬃce"],
    ["marks apart from their letters", "thuyền trưởng Ærøskøbing", "thuyền trưởng Ærøskøbing"],
    ["marks that are lost", "thuyền trưởng", "thuyen truong"],
    ["Chinese over lines", "港の灯台は夜明けまで光る", "港の灯\n台は夜明けまで\n光る"],
    ["Thai without spaces, its vowels apart", "น้ำทะเลสีคราม", "น ํ้า ทะเล สี คราม"],
    ["Arabic, as it is drawn", "منارة البحر", "رحبلا ةرانم"],
    ["numbers that are counted anew", "chapter 12 of 40", "chapter 3 of 7"],
    ["capitals", "straße", "STRASSE"],
    ["headers and numbers beside it", "the body", "Header 1\nthe body\nHeader 2"],
  ])("%s", async (_, text, words) => {
    expect(await lossesOf(makeDocx({ paragraphs: [text] }), words)).toEqual(none);
  });

  test("as have cells that are cut off, and cells of rows, columns and sheets that are hidden do not count", async () => {
    const sheets = [
      { name: "Prices", rows: [["Apples from the northern orchard", 3]] },
      { name: "Secret", hidden: true, rows: [["Salaries"]] },
    ];
    expect(await lossesOf(makeXlsx({ sheets }), "Apples from the nor")).toEqual(none);
  });

  test("so does invisible content", async () => {
    const run = (text: string, more = ""): string => `<w:r>${more}<w:t>${text}</w:t></w:r>`;
    const field = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const body = [
      `<w:p>${run("walrus", "<w:rPr><w:vanish/></w:rPr>")}</w:p>`,
      `<w:p><w:moveFrom w:id="1" w:author="">${run("octopus")}</w:moveFrom></w:p>`,
      `<w:p><w:del w:id="2" w:author=""><w:r><w:delText>lobster</w:delText></w:r></w:del></w:p>`,
      `<w:p>${field("begin")}<w:r><w:instrText> DATE \\@ "MMMM" </w:instrText></w:r>${field("separate")}${run("November")}${field("end")}</w:p>`,
    ].join("");
    expect(await lossesOf(makeDocx({ paragraphs: ["seen"], body }), "seen")).toEqual(none);
    const slides = ["Whales", { text: "Not to be shown", hidden: true }];
    expect(await lossesOf(makePptx({ slides }), "Whales")).toEqual(none);
  });
});

describe("missing content is named", () => {
  const filler = Array.from(
    { length: 100 },
    (_, at) => `paragraph about ${String.fromCharCode(97 + (at % 26))}lighthouses`,
  );

  test("a paragraph, however long the rest is", async () => {
    const { warnings, isLost } = await lossesOf(
      makeDocx({ paragraphs: [...filler, "the rhubarb levy of Stornoway"] }),
      filler.join("\n"),
    );
    expect(isLost).toBe(false);
    expect(warnings).toEqual([
      {
        code: "missing_words",
        page: undefined,
        message: expect.stringMatching(/“the rhubarb levy of Stornoway” is not shown: .*“rhubarb”.*; look at the page/),
      },
    ]);
  });

  test("words here and there, beyond a share of all", async () => {
    const paragraphs = filler.map((text, at) => (at % 20 === 0 ? `${text} porpoise` : text));
    const pages = filler.join("\n");
    expect(await lossesOf(makeDocx({ paragraphs }), pages)).toEqual(none);
    const worse = filler.map((text, at) => (at % 4 === 0 ? `${text} porpoise` : text));
    const { warnings } = await lossesOf(makeDocx({ paragraphs: worse }), pages);
    expect(warnings).toMatchObject([
      { code: "missing_words", message: expect.stringContaining("“porpoise” is in the document") },
    ]);
  });

  test("a box, by the page of its slide", async () => {
    const slides = ["Whales", { text: "Hidden", hidden: true }, "Krill feeds upon plankton"];
    const { warnings } = await lossesOf(makePptx({ slides }), "Whales", "");
    expect(warnings).toMatchObject([{ code: "missing_words", page: 2 }]);
  });

  test("a box with a formula", async () => {
    const formula = (xml: string): string =>
      xml.replace(
        /<p:sp>.*<\/p:sp>/,
        `<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" Requires="a14">$&</mc:Choice><mc:Fallback/></mc:AlternateContent>`,
      );
    const entries = pptxEntries({ slides: ["Brass weight and stiffness"] }).map((entry) =>
      entry.name === "ppt/slides/slide1.xml" ? { ...entry, data: formula(String(entry.data)) } : entry,
    );
    const { warnings } = await lossesOf(makeZip(entries), "");
    expect(warnings).toMatchObject([{ code: "formula", page: 1, message: expect.stringContaining("“brass”") }]);
  });

  test.each([
    [
      "part.html",
      "<html><head><title>x</title></head><body><p>The <b>arch</b>es are cracked &amp; old</p></body></html>",
    ],
    [
      "part.mht",
      'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<p>The arch=\r\nes are cracked</p>\r\n--b--',
    ],
    ["part.txt", "The arches are cracked"],
  ])("an inserted part: %s", async (name, data) => {
    const body = `<w:altChunk r:id="rIdChunk"/>`;
    const [types, relationships, main] = docxEntries({ paragraphs: ["before"], body });
    if (types === undefined || relationships === undefined || main === undefined) throw new Error("no parts");
    const type = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/aFChunk";
    const ofMain = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rIdChunk" Type="${type}" Target="${name}"/></Relationships>`;
    const document = makeZip([
      types,
      relationships,
      main,
      { name: "word/_rels/document.xml.rels", data: ofMain },
      { name: `word/${name}`, data },
    ]);
    expect((await lossesOf(document, "before")).warnings).toMatchObject([
      { code: "alt_chunk", message: expect.stringContaining("“arches”") },
    ]);
    expect(await lossesOf(document, "before the arches are cracked old")).toEqual(none);
  });

  test("names in localised dates", async () => {
    const cells = [45_360, 45_391, 45_421].map((day, at) => `<c r="A${at + 1}" s="1"><v>${day}</v></c>`).join("");
    const document = makeDatesXlsx("[$-41E]d mmmm yyyy", cells);
    expect((await lossesOf(document, "9 March 2567 9 April 2567 9 May 2567")).warnings).toMatchObject([
      { code: "locale", message: expect.stringMatching(/^sheet “S” has dates in the manner of a language .*ม/) },
    ]);
    expect(await lossesOf(document, "9 มีนาคม 2567 9 เมษายน 2567 9 พฤษภาคม 2567")).toEqual(none);
  });

  test("letters that no font has, whether or not they are in the text", async () => {
    const { warnings } = await lossesOf(makeDocx({ paragraphs: ["a tablet 𒀀𒁀"] }), "a tablet 𒀀");
    expect(warnings).toMatchObject([{ code: "font" }]);
    expect(await lossesOf(makeDocx({ paragraphs: ["a tablet 𒀀𒁀"] }), "a tablet 𒀀𒁀")).toMatchObject({
      warnings: [{ code: "font", message: expect.stringContaining("𒀀𒁀") }],
    });
  });

  test("nearly all of it: then the document is lost", async () => {
    expect(await lossesOf(makeDocx({ paragraphs: filler }), "paragraph")).toMatchObject({ isLost: true });
    expect(await lossesOf(makeDocx({ paragraphs: ["a few words"] }), "")).toMatchObject({ isLost: false });
  });
});
