import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { sentences } from "../errors.ts";

/** A header may come late: Acrobat looks for it in the first kilobyte (ISO 32000-1, annex H.3, note 13). */
const headerWithin = 1024;
/** Positions in a file are 32 bits wide in PDFium. */
const maxBytes = 2 ** 32 - 1;

/** Bytes of the file. Throws `DocumentError` if it can be told already that it is no PDF which can be opened. */
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
