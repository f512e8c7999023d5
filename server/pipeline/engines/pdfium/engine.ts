import { closeSync, openSync } from "node:fs";
import { sentences } from "../../errors.ts";
import { type OpenDocument, type PageEngine, sizeOfPdf } from "../engine.ts";
import { PdfiumDocument } from "./document.ts";
import { installFallbackFonts } from "./fallback-fonts.ts";
import { createFileAccess, createFileWriter } from "./file-io.ts";
import { loadLibrary } from "./library.ts";

/**
 * Results of FPDF_GetLastError (fpdfview.h): the document needs a password, or uses a security scheme that PDFium does not
 * support.
 */
const passwordErrors = [4, 5];

/** Creates the PDFium engine, which is fast and complete enough for nearly every page. See `loadLibrary` for `maxBytes`. */
export async function createPdfiumEngine(maxBytes: number): Promise<PageEngine> {
  const library = await loadLibrary(maxBytes);
  installFallbackFonts(library);
  const access = createFileAccess(library);
  const writer = createFileWriter(library);
  const { functions, call } = library;

  async function open(file: string): Promise<OpenDocument> {
    const size = sizeOfPdf(file);
    const fd = openSync(file, "r");
    let handle = 0;
    let source = 0;
    const close = (): void => {
      closeSync(fd);
      if (source !== 0) access.remove(source);
    };
    try {
      source = access.add(fd, size);
      handle = call(() => functions.FPDF_LoadCustomDocument(source, ""));
      if (handle === 0) {
        const error = call(() => functions.FPDF_GetLastError());
        throw passwordErrors.includes(error) ? sentences.encrypted() : sentences.damaged();
      }
      const pageCount = call(() => functions.FPDF_GetPageCount(handle));
      if (pageCount < 1) throw sentences.empty();
      return new PdfiumDocument(library, writer, { file, handle, pageCount, release: close });
    } catch (error) {
      close();
      throw error;
    }
  }
  return { open, heldBytes: library.heldBytes };
}
