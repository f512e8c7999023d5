import type { Library } from "./library.ts";

/** Collects PDFium's output. `save` gets a pointer to FPDF_FILEWRITE (fpdf_save.h). */
export interface FileWriter {
  /** Returns the whole output; undefined if `save` returned false. */
  collect(save: (writer: number) => boolean | number): Buffer | undefined;
  /** Returns the output up to a match of `end`, where `save` is stopped. */
  peek(save: (writer: number) => boolean | number, end: RegExp): string;
}

export function createFileWriter(library: Library): FileWriter {
  let take: (chunk: Buffer) => boolean = () => false;
  const writeBlock = (_writer: number, pointer: number, length: number): number => {
    const start = pointer >>> 0;
    return take(Buffer.from(library.heap().slice(start, start + (length >>> 0)).buffer)) ? 1 : 0;
  };
  // FPDF_FILEWRITE: version (1), WriteBlock.
  const writer = library.malloc(8);
  const view = library.view();
  view.setUint32(writer, 1, true);
  view.setUint32(writer + 4, library.functions.pdfium.addFunction(writeBlock, "iiii"), true);
  return {
    collect(save) {
      const chunks: Buffer[] = [];
      take = (chunk) => chunks.push(chunk) > 0;
      return save(writer) ? Buffer.concat(chunks) : undefined;
    },
    peek(save, end) {
      let text = "";
      take = (chunk) => {
        text += chunk.toString("latin1");
        return !end.test(text);
      };
      save(writer);
      return text;
    },
  };
}
