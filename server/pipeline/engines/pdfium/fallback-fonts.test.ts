import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PageEngine } from "../engine.ts";
import { createPdfiumEngine } from "./engine.ts";

/** One line of text in a standard font that is not embedded in the file. */
function pdfWith(font: string, ordering: string, encoding: string, text: string): string {
  const codes = Array.from(text, (letter) => letter.charCodeAt(0).toString(16).padStart(4, "0")).join("");
  const content = `BT /F1 40 Tf 20 40 Td <${codes}> Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 100] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    `<< /Type /Font /Subtype /Type0 /BaseFont /${font} /Encoding /${encoding} /DescendantFonts [6 0 R] >>`,
    `<< /Type /Font /Subtype /CIDFontType0 /BaseFont /${font} /DW 1000 /FontDescriptor 7 0 R /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> >>`,
    `<< /Type /FontDescriptor /FontName /${font} /Flags 6 /FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>`,
  ];
  const body = objects.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`).join("");
  return `%PDF-1.4\n${body}trailer << /Root 1 0 R >>\n`;
}

let folder: string;
let engine: PageEngine;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "drs-fonts-"));
  engine = await createPdfiumEngine(700 * 2 ** 20);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The share of ink in each letter's square, 0 to 1. */
async function inkPerLetter(letters: number): Promise<number[]> {
  const document = await engine.open(join(folder, "text.pdf"));
  const { data, info } = await sharp(await document.jpeg(1))
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  await document.close();
  const scale = info.width / 400;
  return Array.from({ length: letters }, (_, letter) => {
    const [left, right] = [(20 + 40 * letter) * scale, (60 + 40 * letter) * scale].map(Math.round);
    let ink = 0;
    let pixels = 0;
    for (let y = 0; y < info.height; y += 1) {
      for (let x = left ?? 0; x < (right ?? 0); x += 1) {
        ink += (data[y * info.width + x] ?? 255) < 128 ? 1 : 0;
        pixels += 1;
      }
    }
    return ink / pixels;
  });
}

test.each([
  ["Japanese", "HeiseiMin-W3", "Japan1", "UniJIS-UCS2-H", "日本語漢字"],
  ["Korean", "HYSMyeongJo-Medium", "Korea1", "UniKS-UCS2-H", "한국어문서"],
  ["simplified Chinese", "STSong-Light", "GB1", "UniGB-UCS2-H", "中国汉语文"],
  ["traditional Chinese", "MSung-Light", "CNS1", "UniCNS-UCS2-H", "繁體漢語書"],
])("%s text shows its glyphs although its font is not embedded", async (_, font, ordering, encoding, text) => {
  await writeFile(join(folder, "text.pdf"), pdfWith(font, ordering, encoding, text));
  const ink = await inkPerLetter(text.length);
  // A blank has no ink, and boxes would all have the same share.
  expect(Math.min(...ink)).toBeGreaterThan(0.02);
  expect(new Set(ink.map((share) => share.toFixed(4))).size).toBeGreaterThan(2);
});
