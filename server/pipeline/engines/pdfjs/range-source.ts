import { type FileHandle } from "node:fs/promises";
import type { PDFDataRangeTransport } from "pdfjs-dist/legacy/build/pdf.mjs";
import type { Pdfjs } from "./library.ts";

/** Lets pdf.js read a file in ranges, so that a whole document is never in memory. */
export function rangeSource({ PDFDataRangeTransport }: Pdfjs, file: FileHandle, size: number): PDFDataRangeTransport {
  class FileSource extends PDFDataRangeTransport {
    override requestDataRange(begin: number, end: number): void {
      void this.#send(begin, end);
    }

    async #send(begin: number, end: number): Promise<void> {
      const bytes = new Uint8Array(end - begin);
      // A range that cannot be read arrives empty, which pdf.js reports as a damaged document.
      const length = await file.read(bytes, 0, bytes.length, begin).then(
        ({ bytesRead }) => bytesRead,
        () => 0,
      );
      this.onDataRange(begin, bytes.subarray(0, length));
    }
  }
  return new FileSource(size, null);
}
