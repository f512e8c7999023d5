import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { sentences } from "../errors.ts";

/** Acrobat accepts a header in the first kilobyte (ISO 32000-1, annex H.3, note 13). */
const headerWithin = 1024;
/** File positions in PDFium have 32 bits. */
const maxBytes = 2 ** 32 - 1;

/** Returns the file's size in bytes. Throws `DocumentError` if it is obviously not a PDF that can be opened. */
export function sizeOfPdf(file: string): number {
  const fd = openSync(file, "r");
  try {
    const { size } = fstatSync(fd);
    if (size === 0) throw sentences.empty();
    if (size > maxBytes) throw sentences.tooLarge();
    const head = Buffer.alloc(headerWithin);
    const length = readSync(fd, head, 0, headerWithin, 0);
    if (!head.subarray(0, length).includes("%PDF-")) throw sentences.notPdf();
    return size;
  } finally {
    closeSync(fd);
  }
}
