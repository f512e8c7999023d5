import { docxOfPages, pptxOfPages, xlsxOfPages } from "../fixtures/office-pages.ts";
import { makePdf } from "../fixtures/pdf.ts";

/** A document to upload, and what has to become of it. */
export interface ScaleDocument {
  readonly number: number;
  readonly fileName: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly pages: number;
  readonly vectorize: boolean;
  readonly inParts: boolean;
}

/** A word that no stemmer changes and no other page has. */
export function wordOf(document: number, page: number): string {
  const digits = Array.from(String(document * 100 + page).padStart(6, "0"), Number);
  return `zq${digits.map((digit) => "bcdfghjklm"[digit]).join("")}x`;
}

/** Some have more bytes than one part may have. */
const padding = `% ${"x".repeat(80)}\n`.repeat(70_000);

/**
 * The nth of a mix: three of four are PDFs and the others letters, talks and workbooks; every tenth has 40 pages, the
 * others 1 to 8; every other one is vectorized, every fifth goes up in parts.
 */
export function documentOf(number: number): ScaleDocument {
  const isOffice = number % 4 === 3;
  const pages = isOffice ? 1 + (number % 3) : number % 10 === 0 ? 40 : 1 + (number % 8);
  const texts = Array.from({ length: pages }, (_, page) => `About ${wordOf(number, page + 1)} and nothing else.`);
  const inParts = number % 5 === 0;
  const common = { number, pages, vectorize: Math.floor(number / 2) % 2 === 0, inParts };
  if (!isOffice) {
    const bytes = makePdf({
      pages: texts.map((text, page) => ({ text, ...(inParts && page === 0 ? { operators: padding } : {}) })),
    });
    return { ...common, fileName: `${number}.pdf`, bytes };
  }
  switch (Math.floor(number / 4) % 3) {
    case 0:
      return { ...common, fileName: `${number}.docx`, bytes: docxOfPages(texts) };
    case 1:
      return { ...common, fileName: `${number}.pptx`, bytes: pptxOfPages(texts) };
    default:
      return { ...common, fileName: `${number}.xlsx`, bytes: xlsxOfPages(texts) };
  }
}
