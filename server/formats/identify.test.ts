import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeCompound } from "../../test/fixtures/compound.ts";
import { docxEntries, makeDocx, makePptx, makeXlsx, makeZip } from "../../test/fixtures/ooxml.ts";
import { DomainError } from "../domain/errors.ts";
import { documentFormats, identifyDocument } from "./identify.ts";
import { kindOfExt } from "../domain/documents/kind.ts";
import { bytesSource } from "./sources.ts";
import type { ByteSource } from "../domain/documents/source.ts";

const latin = (text: string): Uint8Array => Buffer.from(text, "latin1");
const identify = (bytes: Uint8Array): ReturnType<typeof identifyDocument> => identifyDocument(bytesSource(bytes));
const docx = makeDocx({ paragraphs: ["hello"] });
const openXml = "application/vnd.openxmlformats-officedocument";

/** The sentence of the refusal, which must be one that reaches the caller. */
async function refused(source: Uint8Array | ByteSource): Promise<string> {
  const result = source instanceof Uint8Array ? identify(source) : identifyDocument(source);
  const cause: unknown = await result.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(cause).toBeInstanceOf(DomainError);
  expect(cause).toMatchObject({ kind: "unsupported" });
  return (cause as DomainError).message;
}

describe("identifyDocument knows", () => {
  test("a PDF by its header, also behind junk", async () => {
    const pdf = { format: "pdf", fileExt: "pdf", mimeType: "application/pdf" };
    expect(await identify(latin("%PDF-1.7\n"))).toEqual(pdf);
    expect(await identify(latin(`${"x".repeat(900)}%PDF-1.4`))).toEqual(pdf);
  });

  test("the three Office formats", async () => {
    const kinds = [docx, makePptx({ slides: ["x"] }), makeXlsx({ sheets: [{ name: "x", rows: [[1]] }] })].map(identify);
    expect(await Promise.all(kinds)).toEqual([
      { format: "docx", fileExt: "docx", mimeType: `${openXml}.wordprocessingml.document` },
      { format: "pptx", fileExt: "pptx", mimeType: `${openXml}.presentationml.presentation` },
      { format: "xlsx", fileExt: "xlsx", mimeType: `${openXml}.spreadsheetml.sheet` },
    ]);
  });

  test.each([
    [
      "docx",
      "docm",
      "application/vnd.ms-word.document.macroEnabled",
      "application/vnd.ms-word.document.macroEnabled.12",
    ],
    ["docx", "dotx", `${openXml}.wordprocessingml.template`, `${openXml}.wordprocessingml.template`],
    [
      "docx",
      "dotm",
      "application/vnd.ms-word.template.macroEnabledTemplate",
      "application/vnd.ms-word.template.macroEnabled.12",
    ],
    ["pptx", "ppsx", `${openXml}.presentationml.slideshow`, `${openXml}.presentationml.slideshow`],
    ["pptx", "potx", `${openXml}.presentationml.template`, `${openXml}.presentationml.template`],
    [
      "pptx",
      "pptm",
      "application/vnd.ms-powerpoint.presentation.macroEnabled",
      "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
    ],
    [
      "pptx",
      "ppsm",
      "application/vnd.ms-powerpoint.slideshow.macroEnabled",
      "application/vnd.ms-powerpoint.slideshow.macroEnabled.12",
    ],
    [
      "pptx",
      "potm",
      "application/vnd.ms-powerpoint.template.macroEnabled",
      "application/vnd.ms-powerpoint.template.macroEnabled.12",
    ],
    ["xlsx", "xltx", `${openXml}.spreadsheetml.template`, `${openXml}.spreadsheetml.template`],
    ["xlsx", "xlsm", "application/vnd.ms-excel.sheet.macroEnabled", "application/vnd.ms-excel.sheet.macroEnabled.12"],
    [
      "xlsx",
      "xltm",
      "application/vnd.ms-excel.template.macroEnabled",
      "application/vnd.ms-excel.template.macroEnabled.12",
    ],
  ])("%s variant %s by the type of its main part", async (format, fileExt, type, mimeType) => {
    const kind = { format, fileExt, mimeType };
    expect(await identify(makeDocx({ paragraphs: [], mainType: `${type}.main+xml` }))).toEqual(kind);
    expect(kindOfExt(fileExt)).toEqual(kind);
  });

  test("the main part by its relationship, whatever it is named, in UTF-16 and with another prefix", async () => {
    const list = `<?xml version="1.0" encoding="UTF-16"?><k:Types xmlns:k="http://schemas.openxmlformats.org/package/2006/content-types"><k:Default Extension="DATA" ContentType="${openXml}.wordprocessingml.document.main+xml"/></k:Types>`;
    const relationships = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument" Target="/odd%20place/../x/main.data"/></Relationships>`;
    const zip = makeZip([
      { name: "[content_types].xml", data: Buffer.from(`\uFEFF${list}`, "utf16le") },
      { name: "_rels\\.rels", data: relationships },
      { name: "x/main.data", data: "" },
    ]);
    expect(await identify(zip)).toMatchObject({ fileExt: "docx" });
  });

  test("containers with ZIP64 records, with a comment and with padding behind", async () => {
    const entries = docxEntries({ paragraphs: ["hello"] });
    for (const zip of [
      makeZip(entries, { wide: true }),
      makeZip(entries, { comment: "made by a test" }),
      Buffer.concat([docx, Buffer.alloc(1000)]),
    ]) {
      expect(await identify(zip)).toMatchObject({ fileExt: "docx" });
    }
  });

  test("an Office file from a few small reads, however large it is", async () => {
    const large = makeZip([
      ...docxEntries({ paragraphs: ["hello"] }),
      { name: "word/media/image1.png", data: Buffer.alloc(8 * 2 ** 20), stored: true },
    ]);
    const reads: number[] = [];
    const source: ByteSource = {
      size: large.length,
      async read(start, end) {
        reads.push(Math.min(end, large.length) - start);
        return large.subarray(start, end);
      },
    };
    expect(await identifyDocument(source)).toMatchObject({ fileExt: "docx" });
    expect(reads.length).toBeLessThan(10);
    expect(reads.reduce((sum, next) => sum + next)).toBeLessThan(100_000);
  });
});

describe("identifyDocument refuses with its own sentence", () => {
  test.each([
    ["", /empty/],
    ["PK\x05\x06", /empty zip/],
    ["PK\x07\x08", /split zip/],
    ["\xff\xd8\xff\xe0 JFIF", /JPEG/],
    ["\x89PNG\r\n\x1a\n", /PNG/],
    ["RIFF\x00\x00\x00\x00WEBPVP8 ", /WebP/],
    ["\x00\x00\x00\x18ftypheic", /HEIC/],
    ["hello", /plain text/],
    ["\xff\xfeh\x00i\x00", /plain text/],
    ["<!DOCTYPE html><p>hello", /web page/],
    ["<html>hello</html>", /web page/],
    ['<?xml version="1.0"?><?mso-application progid="Word.Document"?><w:wordDocument/>', /one XML file/],
    ['<?xml version="1.0"?><svg/>', /SVG/],
    ['<?xml version="1.0"?><a/>', /XML/],
    ["{\\rtf1", /rich text/],
    ["%!PS-Adobe-3.0", /PostScript/],
    ["\x1f\x8b\x08", /gzip/],
    ["7z\xbc\xaf\x27\x1c", /7z/],
    ["\x00\x01\x02\x03", /not a document/],
    [`${"x".repeat(1100)}%PDF-1.4`, /plain text/],
  ])("%j, from its first bytes", async (content, reason) => {
    expect(await refused(latin(content))).toMatch(reason);
    expect(() => documentFormats.refuseAtOnce(latin(content))).toThrow(reason);
  });

  test("accepts at first a file that needs more than the first bytes", () => {
    for (const bytes of [docx, makeCompound({ names: ["WordDocument"] }), latin("%PDF-1.7")]) {
      expect(() => documentFormats.refuseAtOnce(bytes.subarray(0, 1024))).not.toThrow();
    }
  });

  test.each([
    [["\x01CompObj", "WordDocument", "1Table"], /legacy Word document \(\.doc\)/],
    [["PowerPoint Document", "Current User"], /legacy PowerPoint presentation \(\.ppt\)/],
    [["Workbook"], /legacy Excel workbook \(\.xls\)/],
    [["Book"], /legacy Excel workbook \(\.xls\)/],
    [["EncryptionInfo", "EncryptedPackage"], /protected by a password/],
    [["__nameid_version1.0", "__properties_version1.0"], /Outlook message/],
    [["VisioDocument"], /Visio/],
    [["Contents"], /compound file of another program/],
    [[], /compound file of another program/],
  ])("the compound file with %j", async (names, reason) => {
    expect(await refused(makeCompound({ names }))).toMatch(reason);
  });

  test("compound files by the names at their top, not in folders below", async () => {
    expect(await refused(makeCompound({ names: ["WordDocument"], within: ["Workbook", "EncryptedPackage"] }))).toMatch(
      /\.doc\)/,
    );
  });

  test("damaged compound files", async () => {
    const whole = makeCompound({ names: ["WordDocument"] });
    expect(await refused(makeCompound({ names: ["WordDocument"], loop: true }))).toMatch(/damaged legacy/);
    expect(await refused(whole.subarray(0, 1100))).toMatch(/damaged legacy/);
    expect(await refused(whole.subarray(0, 100))).toMatch(/damaged legacy/);
  });

  const zipWith = (...names: string[]): Uint8Array => makeZip(names.map((name) => ({ name, data: "x" })));
  const typed = (type: string): Uint8Array => makeZip([{ name: "mimetype", data: type, stored: true }]);

  test.each([
    ["odt", typed("application/vnd.oasis.opendocument.text"), /OpenDocument text \(\.odt\)/],
    ["ods", typed("application/vnd.oasis.opendocument.spreadsheet"), /OpenDocument spreadsheet \(\.ods\)/],
    ["odp", typed("application/vnd.oasis.opendocument.presentation-template"), /OpenDocument presentation \(\.odp\)/],
    ["odg", typed("application/vnd.oasis.opendocument.graphics"), /OpenDocument file/],
    ["epub", typed("application/epub+zip"), /EPUB/],
    ["jar", zipWith("META-INF/MANIFEST.MF", "A.class"), /Java archive/],
    ["pages", zipWith("Index/Document.iwa"), /Pages, Numbers or Keynote/],
    ["apk", zipWith("AndroidManifest.xml", "META-INF/MANIFEST.MF"), /Android/],
    ["zip", zipWith("a.pdf", "b.docx"), /zip archive; unpack it/],
    [
      "zip with a PDF at its start",
      makeZip([{ name: "a.pdf", data: "%PDF-1.4", stored: true }]),
      /zip archive; unpack/,
    ],
    ["docx without content types", zipWith("_rels/.rels", "word/document.xml"), /list of parts is missing/],
    [
      "xlsb",
      makeDocx({ paragraphs: [], mainType: "application/vnd.ms-excel.sheet.binary.macroEnabled.main" }),
      /\.xlsb/,
    ],
    ["xlam", makeDocx({ paragraphs: [], mainType: "application/vnd.ms-excel.addin.macroEnabled.main+xml" }), /add-in/],
    [
      "theme",
      makeDocx({
        paragraphs: [],
        mainType: "application/vnd.openxmlformats-officedocument.themeManager+xml",
      }),
      /Office theme, without a document/,
    ],
    ["vsdx", makeDocx({ paragraphs: [], mainType: "application/vnd.ms-visio.drawing.main+xml" }), /Visio/],
    [
      "other package",
      makeDocx({ paragraphs: [], mainType: "application/x-other" }),
      /of a kind that drs does not read/,
    ],
  ])("%s", async (_, bytes, reason) => {
    expect(await refused(bytes)).toMatch(reason);
  });

  const [types, rels, ...rest] = docxEntries({ paragraphs: ["hello"] });
  if (types === undefined || rels === undefined) throw new Error("a package starts with its lists");

  test.each([
    ["cut off", docx.subarray(0, -30), /end is missing/],
    ["encrypted parts", makeZip([types, { ...rels, lies: { flags: 1 } }, ...rest]), /password/],
    [
      "relationships that are no XML",
      makeZip([types, { ...rels, data: "CORRUPTED" }, ...rest]),
      /_rels\/\.rels cannot/,
    ],
    [
      "relationships with entities",
      makeZip([types, { ...rels, data: `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>` }, ...rest]),
      /_rels\/\.rels cannot/,
    ],
    [
      "relationships nested without end",
      makeZip([types, { ...rels, data: "<a>".repeat(100_000) }, ...rest]),
      /_rels\/\.rels cannot/,
    ],
    ["no main part", makeZip([types, rels]), /main part is missing/],
    ["no relationships", makeZip([types, ...rest]), /_rels\/\.rels is missing/],
    [
      "a list that inflates without end",
      makeZip([{ ...types, data: Buffer.alloc(64 * 2 ** 20), lies: { size: 1000 } }, rels, ...rest]),
      /too long/,
    ],
    ["a list that says it is long", makeZip([types, { ...rels, lies: { size: 2 ** 31 } }, ...rest]), /too long/],
    ["a wrong checksum", makeZip([types, { ...rels, lies: { crc32: 1 } }, ...rest]), /not what the directory says/],
    ["an unknown compression", makeZip([types, { ...rels, lies: { method: 99 } }, ...rest]), /compressed in a way/],
    ["a part outside", makeZip([types, { ...rels, lies: { offset: 2 ** 31 } }, ...rest]), /not where/],
    ["a part in another's place", makeZip([types, { ...rels, lies: { offset: 0 } }, ...rest]), /contradict/],
    ["two names for a part", makeZip([types, { ...rels, lies: { localName: "evil.rel" } }, ...rest]), /contradict/],
    ["fewer entries than it says", makeZip([types, rels, ...rest], { count: 10 }), /directory is damaged/],
    ["more entries than accepted", makeZip([types, rels, ...rest], { count: 20_001 }), /20001 parts/],
    ["a ZIP64 count without sense", makeZip([types, rels], { wide: true, count: 2 ** 52 }), /parts; at most/],
  ])("a container with %s", async (_, bytes, reason) => {
    expect(await refused(bytes)).toMatch(reason);
  });

  test("shows only the printable start of a name", async () => {
    const target = `${"\u001b[31m".repeat(50)}x`;
    const names = makeZip([types, { ...rels, data: rels.data, lies: { localName: target } }, ...rest]);
    expect(await refused(names)).toMatch(/^[\x20-\x7e]{1,300}$/);
  });

  test("any damaged file, with nothing but a refusal", async () => {
    const seeds = [
      docx,
      makeZip(docxEntries({ paragraphs: [] }), { wide: true }),
      makeCompound({ names: ["Workbook"] }),
    ];
    const damage = fc.array(fc.tuple(fc.nat(), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff)), {
      minLength: 1,
      maxLength: 8,
    });
    const outcomes = new Set<string | undefined>();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...seeds), damage, fc.nat(), async (seed, places, cut) => {
        const bytes = Buffer.from(seed.subarray(0, cut % 3 === 0 ? cut % seed.length : seed.length));
        for (const [at, value] of places) bytes[at % Math.max(1, bytes.length)] = value;
        const result: unknown = await identify(bytes).catch((cause: unknown) => cause);
        outcomes.add(result instanceof DomainError ? result.kind : result instanceof Error ? result.stack : "known");
      }),
      { numRuns: 1500 },
    );
    expect(outcomes).toEqual(new Set(["known", "unsupported"]));
  });
});
