import type { PictureRequest, Raster } from "../../embedding/raster.ts";
import type { PageDrawing } from "../../embedding/ocr/drawing.ts";

/** What reading a page gives. */
export interface PageContent {
  /** As the page is shown, cropped and rotated; in its own units, which are points (1/72 inch) as a rule. */
  readonly width: number;
  readonly height: number;
  /** In the order in which they are read (`layout/`), cleaned up by `cleanWords`. */
  readonly words: string;
}

/** Where a character is on a page as it is shown: fractions of its width and height, from the upper left. */
export interface CharacterBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The text of a page before `cleanWords`, and boxes of some of its characters by their units of UTF-16. */
export interface ChosenCharacters {
  readonly text: string;
  readonly boxes: ReadonlyMap<number, CharacterBox>;
}

/** What the file says of its document, as it is written there; empty where it says nothing. */
export interface WrittenProperties {
  readonly title: string;
  readonly author: string;
}

/** A document held open by an engine. Pages count from 1; one call at a time. */
export interface OpenDocument {
  readonly pageCount: number;
  properties(): Promise<WrittenProperties>;
  read(page: number): Promise<PageContent>;
  /** The text of the page with the boxes of the characters that are chosen in it; those that are nowhere have none. */
  characters(page: number, choose: (text: string) => Iterable<number>): Promise<ChosenCharacters>;
  /** What the page is drawn with, without drawing it. */
  drawing(page: number): Promise<PageDrawing>;
  /** The page on white, its longer side as long as wanted, forms and annotations included. */
  picture(page: number, wanted: PictureRequest): Promise<Raster>;
  /** The page as the JPEG that is shared; see `jpeg.ts`. `width`: pixels; default: by its size in points. */
  jpeg(page: number, width?: number): Promise<Uint8Array>;
  /** The page as a document of its own. */
  onePagePdf(page: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Opens PDFs. What it throws: `DocumentError`, `PageError`, `EngineFault`; anything else is a bug. */
export interface PageEngine {
  open(file: string): Promise<OpenDocument>;
  /** Bytes that the engine keeps between documents, which only a fresh one gives back. */
  heldBytes(): number;
}
