import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { identifyDocument } from "../../server/formats/identify.ts";
import { bytesSource } from "../../server/formats/sources.ts";
import { DomainError } from "../../server/domain/errors.ts";
import type { OfficeFacts } from "../../server/pipeline/convert/precheck/facts.ts";
import { precheckOffice, type PrecheckOptions } from "../../server/pipeline/convert/precheck/precheck.ts";
import { DocumentError } from "../../server/pipeline/errors.ts";
import {
  docxEntries,
  docxFrame,
  docxParagraph,
  makeDocx,
  makeXlsx,
  makeZip,
  type PackedData,
  packPieces,
  pptxEntries,
  xlsxEntries,
  type ZipFixtureEntry,
} from "../fixtures/ooxml.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const corpus = resolve(root, process.env["DRS_CORPUS"] ?? "../shared/corpus");
const absent = !existsSync(corpus);
const why = absent ? " (skipped: no documents; name their folder in DRS_CORPUS)" : "";
const megabyte = 2 ** 20;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-precheck-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function saved(bytes: Uint8Array): Promise<string> {
  const file = join(folder, `${(files += 1)}.zip`);
  await writeFile(file, bytes);
  return file;
}

const precheck = async (bytes: Uint8Array, options?: PrecheckOptions): Promise<OfficeFacts> =>
  precheckOffice(await saved(bytes), options);

/** The sentence that the owner of the document reads. */
async function refused(bytes: Uint8Array, options?: PrecheckOptions): Promise<string> {
  const cause: unknown = await precheck(bytes, options).then(
    () => "was accepted",
    (cause: unknown) => cause,
  );
  expect(cause).toBeInstanceOf(DocumentError);
  return (cause as DocumentError).message;
}

/** A docx whose main part is of these pieces; the others are as they should be. */
async function docxOf(pieces: Iterable<Uint8Array>): Promise<Buffer> {
  return docxWith("word/document.xml", await packPieces(pieces));
}

function docxWith(name: string, data: string | Uint8Array | PackedData, more: Partial<ZipFixtureEntry> = {}): Buffer {
  const entries = docxEntries({ paragraphs: ["hello"] });
  const others = entries.filter((entry) => entry.name !== name);
  return makeZip([...others, { name, data, ...more }]);
}

function* repeated(start: string, piece: (index: number) => string, count: number, end: string): Generator<Uint8Array> {
  yield Buffer.from(start);
  const batch = 1000;
  for (let at = 0; at < count; at += batch) {
    yield Buffer.from(Array.from({ length: Math.min(batch, count - at) }, (_, index) => piece(at + index)).join(""));
  }
  yield Buffer.from(end);
}

const [docxStart, docxEnd] = docxFrame;
let paragraphs: Promise<Buffer> | undefined;
/** Made once, because packing it takes seconds. */
const manyParagraphs = (): Promise<Buffer> =>
  (paragraphs ??= docxOf(repeated(docxStart, (index) => docxParagraph(`${index}`), 2_000_000, docxEnd)));
const zeros = Buffer.alloc(megabyte);

describe("documents that ask for too much", () => {
  test("2 million paragraphs", async () => {
    expect(await refused(await manyParagraphs())).toMatch(/more than 500,000 paragraphs; split it/);
  });

  test("a part that inflates to 600 times its size", async () => {
    const pieces = Array.from({ length: 64 }, () => zeros);
    const bytes = docxWith("word/media/image1.bmp", await packPieces(pieces));
    expect(bytes.length).toBeLessThan(megabyte);
    expect(await refused(bytes)).toMatch(/unpacks to more than 200 times its size/);
  });

  test("many parts that each inflate to little enough", async () => {
    const packed = await packPieces(Array.from({ length: 8 }, () => zeros));
    const parts = Array.from({ length: 8 }, (_, index) => ({ name: `word/media/${index}.bmp`, data: packed }));
    expect(await refused(makeZip([...docxEntries({ paragraphs: [] }), ...parts]))).toMatch(/200 times its size/);
  });

  test("more bytes than accepted, also where they are hardly compressed", async () => {
    const bytes = docxWith("word/media/image1.png", Buffer.alloc(3 * megabyte), { stored: true });
    expect(await precheck(bytes)).toMatchObject({ paragraphs: 1 });
    expect(await refused(bytes, { limits: { inflatedBytes: 2 * megabyte } })).toMatch(/more than 2 MB/);
  });

  test("more XML than accepted, whatever the part is named", async () => {
    const text = `<a>${"<b/>".repeat(megabyte / 2)}</a>`;
    for (const name of ["word/header1.xml", "word/header1.bin"]) {
      expect(await refused(docxWith(name, text), { limits: { xmlBytes: megabyte } })).toMatch(/more than 1 MB of text/);
    }
  });

  test("20,001 parts", async () => {
    const parts = Array.from({ length: 20_001 }, (_, index) => ({ name: `word/${index}.xml`, data: "<a/>" }));
    expect(await refused(makeZip(parts))).toMatch(/20001 parts; at most 20000/);
  });

  test("elements nested without end", async () => {
    expect(await refused(docxWith("word/document.xml", docxStart + "<w:p>".repeat(50_000)))).toMatch(
      /nested more than/,
    );
  });

  test("an element with attributes without end", async () => {
    const attributes = Array.from({ length: 100_000 }, (_, index) => `a${index}=""`);
    expect(await refused(docxWith("word/document.xml", `<a ${attributes.join(" ")}/>`))).toMatch(/250 attributes/);
  });

  test.each([
    ["text", docxStart, "a"],
    ["attribute", `<a b="`, "c"],
    ["attribute of angles", `<a b="`, ">"],
    ["comment", "<!--", "c"],
    ["name", "<", "n"],
    ["CDATA section", `${docxStart}<![CDATA[`, "c"],
    ["document type", "<!DOCTYPE ", "d"],
  ])("a %s without end", async (_, start, letter) => {
    const bytes = await docxOf(repeated(start, () => letter.repeat(1000), 20_000, ""));
    expect(await refused(bytes)).toMatch(/a text is longer than 8 MB/);
  });

  test("cells, shapes, elements and characters beyond their limits", async () => {
    const sheet = makeXlsx({ sheets: [{ name: "x", rows: Array.from({ length: 10 }, () => [1, 2, 3]) }] });
    expect(await precheck(sheet, { limits: { cells: 40 } })).toMatchObject({ cells: 40 });
    expect(await refused(sheet, { limits: { cells: 39 } })).toMatch(/more than 39 cells/);
    const show = makeZip(pptxEntries({ slides: ["a", "b", "c"] }));
    expect(await refused(show, { limits: { shapes: 2 } })).toMatch(/more than 2 shapes/);
    expect(await refused(show, { limits: { paragraphs: 2 } })).toMatch(/more than 2 paragraphs/);
    const text = makeDocx({ paragraphs: ["x".repeat(100)] });
    expect(await refused(text, { limits: { elements: 10 } })).toMatch(/more than 10 elements/);
    expect(await refused(text, { limits: { characters: 99 } })).toMatch(/more than 99 characters/);
  });

  test("a cell with more text than any program shows", async () => {
    const sheet = (length: number): Buffer => makeXlsx({ sheets: [{ name: "x", rows: [["y".repeat(length)]] }] });
    expect(await precheck(sheet(32_767))).toMatchObject({ cells: 2 });
    expect(await refused(sheet(300_000))).toMatch(/characters in one cell/);
  });

  test("zip archives inside are not unpacked", async () => {
    let inner: Uint8Array = makeZip([{ name: "a", data: Buffer.alloc(16 * megabyte) }]);
    for (let depth = 0; depth < 5; depth++) {
      const copies = Array.from({ length: 10 }, (_, index) => ({ name: `${index}.zip`, data: inner }));
      inner = makeZip(copies);
    }
    const facts = await precheck(docxWith("word/embeddings/package1.docx", inner));
    expect(facts.inflatedBytes).toBeLessThan(megabyte);
  });

  test("all of it in little memory", { timeout: 120_000 }, async () => {
    const spam = `<w:t>${"spam ".repeat(200)}</w:t>`;
    const bombs = [
      await manyParagraphs(),
      await docxOf(repeated(docxStart, () => "a".repeat(1000), 100_000, "")),
      await docxOf(repeated(`<a b="`, () => "\n".repeat(1000), 20_000, "")),
      await docxOf(repeated(`<a b="`, () => "&lt;".repeat(250), 20_000, "")),
      await docxOf(repeated(docxStart, () => `<w:a w:b="${"&lt;".repeat(250_000)}">`, 100, "")),
      await docxOf(repeated("", () => `<a xmlns:b="${"&lt;".repeat(20_000)}">`, 100, "")),
      await docxOf(repeated(docxStart, () => spam, 200_000, docxEnd)),
      docxWith("word/media/image1.bmp", await packPieces(Array.from({ length: 100 }, () => zeros))),
    ];
    const precheck = new URL("../../server/pipeline/convert/precheck/precheck.ts", import.meta.url).href;
    const script = `
      import { precheckOffice } from ${JSON.stringify(precheck)};
      let peak = 0;
      setInterval(() => { peak = Math.max(peak, process.memoryUsage.rss()); }, 10).unref();
      const fault = await precheckOffice(process.argv[1]).then(() => "accepted", (cause) => cause.fault);
      console.log(JSON.stringify({ fault, peak }));`;
    const faults: string[] = [];
    for (const bomb of bombs) {
      const { stdout } = await promisify(execFile)(process.execPath, [
        "--input-type=module",
        "--eval",
        script,
        await saved(bomb),
      ]);
      const { fault, peak } = JSON.parse(stdout) as { fault: string; peak: number };
      faults.push(fault);
      expect(peak).toBeLessThan(300 * megabyte);
    }
    expect(faults.toSorted()).toEqual(["damaged", ...bombs.slice(1).map(() => "too-heavy")]);
  });
});

describe("documents with false headers", () => {
  const lying = (lies: NonNullable<ZipFixtureEntry["lies"]>): Buffer =>
    docxWith("word/document.xml", docxFrame.join(docxParagraph("hello".repeat(100))), { lies });

  test.each([
    ["inflates to more than it says", { size: 100 }, /longer than declared/],
    ["inflates to less than it says", { size: 100_000 }, /not complete/],
    ["has another checksum", { crc32: 7 }, /not complete/],
    ["ends before its data", { compressedSize: 20 }, /cannot be unpacked|overlap|contradict/],
    ["ends behind the directory", { compressedSize: 100_000 }, /not where/],
    ["is stored, it says", { method: 0 }, /longer than declared|not complete/],
    ["is encrypted", { flags: 1 }, /password/],
    ["is compressed in another way", { method: 12 }, /compressed in a way/],
    ["is in another's place", { offset: 0 }, /overlap|contradict/],
    ["has another name in its own header", { localName: "word/document.xmm" }, /contradict/],
  ])("a part that %s", async (_, lies, reason) => {
    expect(await refused(lying(lies))).toMatch(reason);
  });

  test("parts that share their data", async () => {
    const header = { name: "word/a.xml", data: "<a/>" };
    const twice = makeZip([...docxEntries({ paragraphs: ["x"] }), header, { ...header, name: "word/b.xml" }]);
    // The second entry of the directory is turned to the place of the first.
    const place = (name: string): number => twice.lastIndexOf(name) - 46 + 42;
    twice.copy(twice, place("word/b.xml"), place("word/a.xml"), place("word/a.xml") + 4);
    expect(await refused(twice)).toMatch(/overlap/);
  });

  test.each([
    "../../etc/passwd",
    "word/../../x.xml",
    "/etc/passwd",
    "C:/windows/x.xml",
    "..\\x.xml",
    "\\x.xml",
    "word/a\u0000.xml",
  ])("a part named %j", async (name) => {
    expect(await refused(docxWith(name, "<a/>"))).toMatch(/name that leads out/);
  });

  test("a part that is there twice, also in other letters", async () => {
    for (const name of ["word/document.xml", "Word/DOCUMENT.xml"]) {
      const bytes = makeZip([...docxEntries({ paragraphs: ["x"] }), { name, data: docxFrame.join("") }]);
      expect(await refused(bytes)).toMatch(/occurs twice/);
    }
  });

  test("a document cut off anywhere", async () => {
    const whole = makeDocx({ paragraphs: ["hello"] });
    for (let length = 0; length < whole.length; length += 41) {
      expect(await refused(whole.subarray(0, length))).toMatch(/^the document is damaged: /);
    }
  });

  test("a document with any byte changed: refused, or as it was", async () => {
    const whole = makeDocx({ paragraphs: ["hello"] });
    const facts = await precheck(whole);
    const file = await saved(whole);
    const handle = await open(file, "r+");
    try {
      for (let at = 0; at < whole.length; at += 3) {
        await handle.write(Buffer.from([(whole[at] ?? 0) ^ 0x55]), 0, 1, at);
        const result: unknown = await precheckOffice(file).catch((cause: unknown) => cause);
        if (result instanceof Error) expect(result).toBeInstanceOf(DocumentError);
        else expect(result).toMatchObject({ paragraphs: facts.paragraphs, characters: facts.characters });
        await handle.write(Buffer.from([whole[at] ?? 0]), 0, 1, at);
      }
    } finally {
      await handle.close();
    }
  });
});

describe("XML that Office does not write", () => {
  const laughs = Array.from({ length: 9 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`).join(
    "",
  );
  const doctype = `<!DOCTYPE lolz [<!ENTITY l0 "lol">${laughs}]>`;

  test.each([
    "word/document.xml",
    "word/_rels/document.xml.rels",
    "docProps/app.xml",
    "customXml/item1.xml",
    "word/hidden.bin",
  ])("entities in %s", async (name) => {
    const refusal = await refused(docxWith(name, `<?xml version="1.0"?>${doctype}<lolz>&l9;</lolz>`));
    expect(refusal).toMatch(/declares XML entities/);
  });

  test("entities in 16 bits, and behind a comment", async () => {
    const wide = Buffer.from(`\uFEFF${doctype}<lolz>&l9;</lolz>`, "utf16le");
    const late = `<!--${" ".repeat(2000)}-->${doctype}<lolz>&l9;</lolz>`;
    for (const data of [wide, late]) {
      expect(await refused(docxWith("word/hidden.bin", data))).toMatch(/declares XML entities/);
    }
  });

  test("a file from outside as an entity", async () => {
    const xml = `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>${docxFrame.join("<w:p>&b;</w:p>")}`;
    expect(await refused(docxWith("word/document.xml", xml))).toMatch(/declares XML entities/);
  });

  test.each([
    ["breaks off", docxStart + docxParagraph("hello")],
    ["has tags that cross", docxFrame.join("<w:p><w:r></w:p></w:r>")],
    ["has an undeclared entity", docxFrame.join("<w:p>&nbsp;</w:p>")],
    ["has an undeclared prefix", docxFrame.join("<x:p/>")],
    ["has two roots", docxFrame.join("") + docxFrame.join("")],
    ["is no UTF-8", Buffer.from(docxFrame.join("<w:p>\xe4</w:p>"), "latin1")],
    ["has an unknown encoding", `<?xml version="1.0" encoding="x-secret"?>${docxFrame.join("")}`],
    ["is text", "hello"],
  ])("a main part that %s", async (_, data) => {
    expect(await refused(docxWith("word/document.xml", data))).toMatch(/word\/document\.xml is not well-formed/);
  });

  test.each([
    ["is empty", ""],
    ["is another XML", "<a/>"],
    ["has the root of another part", docxFrame.join("").replaceAll("w:document", "w:hdr")],
  ])("a main part that %s", async (_, data) => {
    expect(await refused(docxWith("word/document.xml", data))).toMatch(/damaged/);
  });

  test("a sheet or slide that breaks off or is missing", async () => {
    const book = xlsxEntries({ sheets: [{ name: "x", rows: [[1]] }] });
    const show = pptxEntries({ slides: ["x"] });
    for (const [entries, name] of [
      [book, "xl/worksheets/sheet1.xml"],
      [show, "ppt/slides/slide1.xml"],
    ] as const) {
      const others = entries.filter((entry) => entry.name !== name);
      expect(await refused(makeZip(others))).toMatch(/sheets or slides is missing/);
      const data = entries.find((entry) => entry.name === name)?.data;
      const cut = String(data).slice(0, -20);
      expect(await refused(makeZip([...others, { name, data: cut }]))).toMatch(/not well-formed/);
    }
  });

  test.each([
    ["docProps/app.xml", "<Properties><a>"],
    ["xl/drawings/vmlDrawing1.vml", `<xml xmlns:v="urn:schemas-microsoft-com:vml"><br></xml>`],
    ["word/afchunk1.htm", "<!DOCTYPE html><html><br>"],
    ["word/media/image1.svg", `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd"><svg/>`],
    ["word/document2.xml.txt", "< no XML at all"],
    ["customXml/item1.xml", `<picture>${"QUJD".repeat(1_500_000)}</picture>`],
  ])("is let through in %s", async (name, data) => {
    expect(await precheck(docxWith(name, data))).toMatchObject({ paragraphs: 1 });
  });
});

describe.skipIf(absent)(`real documents${why}`, () => {
  const documents = (name: string): string[] =>
    absent ? [] : readdirSync(resolve(corpus, name)).filter((file) => /\.(docx|pptx|xlsx)$/.test(file));

  /** Named .docx, but there is a theme in it and no document; neither converter opens it. */
  const themeOnly = "stress025.docx";

  test("a theme without a document is refused", async () => {
    const source = bytesSource(await readFile(resolve(corpus, "office", themeOnly)));
    await expect(identifyDocument(source)).rejects.toThrow(/Office theme/);
  });

  test("all good ones pass, as what they are", async () => {
    for (const name of documents("office").filter((found) => found !== themeOnly)) {
      const file = resolve(corpus, "office", name);
      const kind = await identifyDocument(bytesSource(await readFile(file)));
      expect({ name, kind: (await precheckOffice(file)).kind }).toEqual({ name, kind });
      expect({ name, format: kind.format }).toEqual({ name, format: name.split(".").at(-1) });
    }
  });

  test("bad ones are refused, each for its reason", async () => {
    const fates: Record<string, string> = {};
    for (const name of documents("bad")) {
      const file = resolve(corpus, "bad", name);
      fates[name] = await identifyDocument(bytesSource(await readFile(file)))
        .then(() => precheckOffice(file))
        .then(({ kind }) => kind.format)
        .catch((cause: unknown) => {
          if (cause instanceof DomainError || cause instanceof DocumentError) return cause.message;
          throw cause;
        });
    }
    const cut = expect.stringContaining("its end is missing") as string;
    expect(fates).toEqual({
      // Whole and well made, and yet converters hang in it: only the conversion's time limit ends that.
      "2411-Performance_Up.pptx": "pptx",
      "badxml.docx": expect.stringContaining("word/document.xml is not well-formed XML"),
      "bomb_text.docx": expect.stringContaining("a text is longer than 8 MB"),
      "bug53475-password-is-pass.docx": expect.stringContaining("protected by a password"),
      "garbage.docx": expect.stringContaining("not a document that drs knows"),
      "poc-shared-strings.xlsx": expect.stringContaining("characters in one cell"),
      "text_as.docx": expect.stringContaining("plain text"),
      "trunc.docx": cut,
      "trunc.pptx": cut,
      "trunc.xlsx": cut,
      "xlsx-corrupted.xlsx": expect.stringContaining("_rels/.rels cannot be read"),
      // A good workbook under a wrong name.
      "xlsx_as.docx": "xlsx",
    });
  });
});
