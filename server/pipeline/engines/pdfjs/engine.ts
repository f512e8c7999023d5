import { type FileHandle, open as openFile } from "node:fs/promises";
import { sentences } from "../../errors.ts";
import { type PageEngine, sizeOfPdf } from "../engine.ts";
import { PdfjsDocument } from "./document.ts";
import { documentOptions, loadPdfjs, type Pdfjs } from "./library.ts";
import type { PDFDataRangeTransport } from "pdfjs-dist/legacy/build/pdf.mjs";

/** Bytes of one read; pdf.js requests neighbouring ranges together. */
const rangeBytes = 65_536;

/** The pdf.js engine, which is much slower than PDFium but reads pages that PDFium cannot. */
export const pdfjsEngine: PageEngine = { open: openWithPdfjs, heldBytes: () => 0 };

export async function openWithPdfjs(file: string): Promise<PdfjsDocument> {
  const size = sizeOfPdf(file);
  const library = await loadPdfjs();
  const handle = await openFile(file);
  const loading = library.pdfjs.getDocument({
    ...documentOptions,
    range: rangeSource(library.pdfjs, handle, size),
    rangeChunkSize: rangeBytes,
    disableAutoFetch: true,
    disableStream: true,
  });
  const release = async (): Promise<void> => {
    await loading.destroy();
    await handle.close();
  };
  try {
    const document = await loading.promise;
    if (document.numPages < 1) throw sentences.empty();
    return new PdfjsDocument(library, document, release);
  } catch (cause) {
    await release();
    if (cause instanceof library.pdfjs.PasswordException) throw sentences.encrypted();
    if (cause instanceof library.pdfjs.InvalidPDFException) throw sentences.damaged();
    // The other errors of pdf.js have no type of their own, and they all concern the document.
    throw cause instanceof Error && cause.name.endsWith("Exception") ? sentences.damaged() : cause;
  }
}

/** Lets pdf.js read a file in ranges, so that a whole document is never in memory. */
function rangeSource({ PDFDataRangeTransport }: Pdfjs, file: FileHandle, size: number): PDFDataRangeTransport {
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
