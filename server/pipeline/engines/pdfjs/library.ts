import { fileURLToPath } from "node:url";
import type * as Canvas from "@napi-rs/canvas";
import type * as PdfjsModule from "pdfjs-dist/legacy/build/pdf.mjs";

export type Pdfjs = typeof PdfjsModule;

export interface PdfjsLibrary {
  readonly pdfjs: Pdfjs;
  readonly createCanvas: (typeof Canvas)["createCanvas"];
}

let loading: Promise<PdfjsLibrary> | undefined;

/** Loads pdf.js on first use, because it takes more time and memory than most documents. */
export function loadPdfjs(): Promise<PdfjsLibrary> {
  loading ??= load();
  return loading;
}

async function load(): Promise<PdfjsLibrary> {
  // Node needs the legacy build. Loading its worker code into the same thread avoids a nested thread.
  const pdfjs = await import("pdfjs-dist/legacy/build/pdf.mjs");
  await import(import.meta.resolve("pdfjs-dist/legacy/build/pdf.worker.mjs"));
  const { createCanvas } = await import("@napi-rs/canvas");
  return { pdfjs, createCanvas };
}

const folder = (name: string): string =>
  fileURLToPath(new URL(`${name}/`, import.meta.resolve("pdfjs-dist/package.json")));

/** Maximum pixels of a picture in a page. A larger picture is skipped, because decoding it would fill the memory. */
const maxImagePixels = 100_000_000;

/**
 * Options that make pdf.js draw without a browser: with its own decoders, with glyphs as paths, and with data from its own
 * folders.
 */
export const documentOptions = {
  cMapUrl: folder("cmaps"),
  cMapPacked: true,
  standardFontDataUrl: folder("standard_fonts"),
  wasmUrl: folder("wasm"),
  iccUrl: folder("iccs"),
  disableFontFace: true,
  useSystemFonts: false,
  isOffscreenCanvasSupported: false,
  isImageDecoderSupported: false,
  enableXfa: false,
  maxImageSize: maxImagePixels,
  verbosity: 0,
} as const;
