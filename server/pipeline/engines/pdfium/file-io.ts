import { readSync } from "node:fs";
import type { Library } from "./library.ts";

/** Lets PDFium read files in blocks, so that a whole document is never in memory. */
interface FileAccess {
  /** Returns a pointer to FPDF_FILEACCESS (fpdfview.h), valid until `remove`. */
  add(fd: number, size: number): number;
  remove(access: number): void;
}

/** FPDF_FILEACCESS: length, m_GetBlock, m_Param; each has 32 bits, which limits files to 4 GB. */
const structBytes = 12;

export function createFileAccess(library: Library): FileAccess {
  const descriptors = new Map<number, number>();
  // The access structure's own address is its parameter, so that one callback serves every file.
  const getBlock = (access: number, position: number, pointer: number, length: number): number => {
    const fd = descriptors.get(access);
    if (fd === undefined) return 0;
    try {
      return readSync(fd, library.heap(), pointer >>> 0, length >>> 0, position >>> 0) === length >>> 0 ? 1 : 0;
    } catch {
      // An exception must not pass through PDFium's frames; 0 tells it that there is nothing to read.
      return 0;
    }
  };
  const callback: number = library.functions.pdfium.addFunction(getBlock, "iiiii");
  return {
    add(fd, size) {
      const access = library.malloc(structBytes);
      const view = library.view();
      view.setUint32(access, size, true);
      view.setUint32(access + 4, callback, true);
      view.setUint32(access + 8, access, true);
      descriptors.set(access, fd);
      return access;
    },
    remove(access) {
      descriptors.delete(access);
      library.free(access);
    },
  };
}

/** Collects PDFium's output. `save` gets a pointer to FPDF_FILEWRITE (fpdf_save.h). */
export interface FileWriter {
  /** Returns the whole output; undefined if `save` returned false. */
  collect(save: (writer: number) => boolean | number): Buffer | undefined;
  /** Returns the output up to a match of `end`, and stops `save` there. */
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
