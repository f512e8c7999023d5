import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Conversions, createConverters } from "../../server/pipeline/convert/select.ts";
import { createPdfiumEngine } from "../../server/pipeline/engines/pdfium/engine.ts";
import { DocumentError } from "../../server/pipeline/errors.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  docxEntries,
  docxParagraph,
  makeZip,
  pptxEntries,
  type ZipFixtureEntry,
  xlsxEntries,
} from "../fixtures/ooxml.ts";
import { hasTool, toolReason } from "../service/tools.ts";

const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const secret = "The content of a file of this machine";
const marker = "The document itself";

const requests: string[] = [];
const listener = createServer((request, response) => {
  requests.push(request.url ?? "");
  response.end(secret);
});
let folder: string;
let http: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-hostile-convert-"));
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  if (address === null || typeof address === "string") throw new Error("the listener has no port");
  http = `http://127.0.0.1:${address.port}`;
  await writeFile(join(folder, "secret.txt"), secret);
  file = pathToFileURL(join(folder, "secret.txt")).href;
});
afterAll(async () => {
  listener.close();
  await rm(folder, { recursive: true, force: true });
});

/** A document whose body goes on with `xml`, and whose main part has relationships to `targets`: rId1, rId2 ... */
function docxWith(xml: string, targets: readonly { readonly type: string; readonly target: string }[]): Buffer {
  const entries = docxEntries({ paragraphs: [marker] }).map((entry): ZipFixtureEntry =>
    entry.name === "word/document.xml" && typeof entry.data === "string"
      ? { ...entry, data: entry.data.replace(docxParagraph(marker), docxParagraph(marker) + xml) }
      : entry,
  );
  const items = targets.map(
    ({ type, target }, index) =>
      `<Relationship Id="rId${index + 1}" Type="${office}/${type}" Target="${target}" TargetMode="External"/>`,
  );
  return makeZip([
    ...entries,
    {
      name: "word/_rels/document.xml.rels",
      data: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items.join("")}</Relationships>`,
    },
  ]);
}

const oleLink = (id: string): string =>
  `<w:p><w:r><w:object w:dxaOrig="1440" w:dyaOrig="1440">` +
  `<v:shape xmlns:v="urn:schemas-microsoft-com:vml" id="s${id}" style="width:72pt;height:72pt"/>` +
  `<o:OLEObject xmlns:o="urn:schemas-microsoft-com:office:office" Type="Link" ProgID="Word.Document.12" ShapeID="s${id}" DrawAspect="Content" ObjectID="_1" r:id="${id}" UpdateMode="Always"/>` +
  `</w:object></w:r></w:p>`;

const field = (instruction: string): string =>
  `<w:p><w:r><w:fldChar w:fldCharType="begin" w:dirty="true"/></w:r><w:r><w:instrText xml:space="preserve"> ${instruction} </w:instrText></w:r>` +
  `<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>before</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;

const vmlPicture = (id: string): string =>
  `<w:p><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" id="s${id}" style="width:72pt;height:72pt"><v:imagedata r:id="${id}"/></v:shape></w:pict></w:r></w:p>`;

/** A talk whose one slide shows a linked picture. */
function pptxWithPicture(target: string): Buffer {
  const picture =
    `<p:pic><p:nvPicPr><p:cNvPr id="9" name="Linked"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr>` +
    `<p:blipFill><a:blip r:link="rId99"/><a:stretch><a:fillRect/></a:stretch></p:blipFill>` +
    `<p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr></p:pic>`;
  const relationship = `<Relationship Id="rId99" Type="${office}/image" Target="${target}" TargetMode="External"/>`;
  const added: Readonly<Record<string, readonly [before: string, what: string]>> = {
    "ppt/slides/slide1.xml": ["</p:spTree>", picture],
    "ppt/slides/_rels/slide1.xml.rels": ["</Relationships>", relationship],
  };
  const entries = pptxEntries({ slides: [marker] }).map((entry): ZipFixtureEntry => {
    const [before, what] = added[entry.name] ?? [];
    if (before === undefined || typeof entry.data !== "string") return entry;
    return { ...entry, data: entry.data.replace(before, `${what}${before}`) };
  });
  return makeZip(entries);
}

/** A workbook whose formula refers to another one, and has no value of its own to show instead. */
function xlsxLinkedTo(target: string): Buffer {
  const entries = xlsxEntries({
    sheets: [{ name: "Links", rows: [[marker, { formula: `'${target}'#$Sheet1.A1`, value: "before" }]] }],
  });
  return makeZip(entries);
}

describe.each([
  { engine: "soffice" as const, needs: ["soffice"] },
  { engine: "wasm" as const, needs: [] },
])("links in documents that $engine converts", ({ engine, needs }) => {
  describe.skipIf(needs.some((name) => !hasTool(name)))(`lead nowhere${toolReason(...needs)}`, () => {
    let conversions: Conversions;
    beforeAll(() => {
      conversions = createConverters({ choice: engine, scratchParent: folder });
    });
    afterAll(() => conversions.close());

    /** The text of the pages, or the reason why there are none. */
    async function wordsOf(extension: string, document: Buffer): Promise<string> {
      const [input, output] = [join(folder, "input"), join(folder, "output.pdf")];
      await writeFile(input, document);
      requests.length = 0;
      try {
        const job = { file: input, extension, output };
        await conversions.convert(job, { signal: new AbortController().signal, timeoutMs: 60_000 });
      } catch (cause) {
        if (cause instanceof DocumentError) return cause.message;
        throw cause;
      }
      const opened = await (await createPdfiumEngine(700 * 2 ** 20)).open(output);
      try {
        const pages = Array.from({ length: opened.pageCount }, (_, index) => index + 1);
        return (await Promise.all(pages.map(async (page) => (await opened.read(page)).words))).join("\n");
      } finally {
        await opened.close();
      }
    }

    test("linked OLE objects, subdocuments and frames", async () => {
      const types = ["oleObject", "subDocument", "aFChunk"] as const;
      const targets = types.flatMap((type) => [
        { type, target: `${http}/${type}` },
        { type, target: file },
      ]);
      const xml = [
        oleLink("rId1"),
        oleLink("rId2"),
        `<w:subDoc r:id="rId3"/><w:subDoc r:id="rId4"/><w:altChunk r:id="rId5"/><w:altChunk r:id="rId6"/>`,
      ].join("");
      expect(await wordsOf("docx", docxWith(xml, targets))).not.toContain(secret);
      expect(requests).toEqual([]);
    }, 400_000);

    test("pictures in VML and on slides", async () => {
      const target = `${http}/vml.png`;
      expect(await wordsOf("docx", docxWith(vmlPicture("rId1"), [{ type: "image", target }]))).toContain(marker);
      expect(requests).toEqual([]);
      expect(await wordsOf("pptx", pptxWithPicture(`${http}/slide.png`))).toContain(marker);
      expect(requests).toEqual([]);
    }, 400_000);

    test("fields that include texts and pictures", async () => {
      const xml = [`${http}/field`, file]
        .flatMap((target) => [field(`INCLUDETEXT "${target}"`), field(`INCLUDEPICTURE "${target}" \\d`)])
        .join("");
      const words = await wordsOf("docx", docxWith(xml, []));
      expect(words).toContain(marker);
      expect(words).not.toContain(secret);
      expect(requests).toEqual([]);
    }, 400_000);

    test.each(["http", "file"] as const)(
      "formulas that refer to another workbook by %s",
      async (scheme) => {
        const words = await wordsOf("xlsx", xlsxLinkedTo(scheme === "http" ? `${http}/book.xlsx` : file));
        expect(words).not.toContain(secret);
        expect(requests).toEqual([]);
      },
      400_000,
    );
  });
});
