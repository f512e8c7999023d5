import type { PictureRequest, Raster } from "../../embedding/raster.ts";
import type { PageDrawing } from "../../embedding/ocr/text-layer.ts";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { sentences } from "../errors.ts";

/** The result of reading a page. */
export interface PageContent {
  /** Size of the page as shown, cropped and rotated, in the page's own units, which are usually points (1/72 inch). */
  readonly width: number;
  readonly height: number;
  /** The words in reading order (`layout/`), cleaned up by `cleanWords`. */
  readonly words: string;
}

/** The box of a character on the page as shown, in fractions of its width and height from the upper left. */
export interface CharacterBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The text of a page before `cleanWords`, and boxes of some of its characters by their UTF-16 indices. */
export interface ChosenCharacters {
  readonly text: string;
  readonly boxes: ReadonlyMap<number, CharacterBox>;
}

/** Properties that the file declares, as written there; empty if it has none. */
export interface WrittenProperties {
  readonly title: string;
  readonly author: string;
}

/** A document that an engine has open. Pages count from 1. It serves one call at a time. */
export interface OpenDocument {
  readonly pageCount: number;
  properties(): Promise<WrittenProperties>;
  read(page: number): Promise<PageContent>;
  /** Returns the page's text with the boxes of the chosen characters; characters without a position have none. */
  characters(page: number, choose: (text: string) => Iterable<number>): Promise<ChosenCharacters>;
  /** Describes the page's drawing without rendering it. */
  drawing(page: number): Promise<PageDrawing>;
  /** Renders the page on white at the requested size, including forms and annotations. */
  picture(page: number, request: PictureRequest): Promise<Raster>;
  /** Renders the page as the standard JPEG; see `jpeg.ts`. `width` is in pixels, by default from its size in points. */
  jpeg(page: number, width?: number): Promise<Uint8Array>;
  /** Returns the page as a document of its own. */
  onePagePdf(page: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Opens PDFs. It throws `DocumentError`, `PageError` and `EngineFault`; anything else is a bug. */
export interface PageEngine {
  open(file: string): Promise<OpenDocument>;
  /** Bytes that the engine keeps between documents; only a new engine frees them. */
  heldBytes(): number;
}

/** The header must begin in the first kilobyte, as for Acrobat (ISO 32000-1, annex H.3, note 13). */
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
