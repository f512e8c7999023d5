import { makeDocx } from "../../test/fixtures/ooxml.ts";
import { makePdf } from "../../test/fixtures/pdf.ts";
import { between } from "../measuring/random.ts";
import type { Words } from "./words.ts";

const wordsPerLine = 10;
/** From a line to a full page: the cost of a page depends on its words. */
const wordsPerPage = { from: 5, to: 300 };

/** Makes a PDF with `pages` pages. With `sparse`, each page has one word, so that its cost is that of its picture. */
export function makeTextPdf(
  words: Words,
  random: () => number,
  pages: number,
  { sparse = false } = {},
): Buffer<ArrayBuffer> {
  return makePdf({
    pages: Array.from({ length: pages }, () => {
      const count = sparse ? 1 : between(random, wordsPerPage.from, wordsPerPage.to);
      return { text: lines(words.text(count).split(" ")).join("\n") };
    }),
  });
}

/** Makes a DOCX with `pages` pages, each with the words of a page of `makeTextPdf`. */
export function makeTextDocx(words: Words, random: () => number, pages: number): Buffer<ArrayBuffer> {
  const pageBreak = `<w:p><w:r><w:br w:type="page"/></w:r></w:p>`;
  const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
  const body = Array.from({ length: pages }, () =>
    paragraph(words.text(between(random, wordsPerPage.from, wordsPerPage.to))),
  );
  return makeDocx({ paragraphs: [], body: body.join(pageBreak) });
}

function lines(words: readonly string[]): string[] {
  return Array.from({ length: Math.ceil(words.length / wordsPerLine) }, (_, line) =>
    words.slice(line * wordsPerLine, (line + 1) * wordsPerLine).join(" "),
  );
}
