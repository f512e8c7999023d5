import { fileURLToPath } from "node:url";
import type * as Canvas from "@napi-rs/canvas";
import type * as PdfjsModule from "pdfjs-dist/legacy/build/pdf.mjs";

export type Pdfjs = typeof PdfjsModule;

export interface PdfjsLibrary {
  readonly pdfjs: Pdfjs;
  readonly createCanvas: (typeof Canvas)["createCanvas"];
}

let loading: Promise<PdfjsLibrary> | undefined;

/** Loaded when first wanted: it takes longer and more memory than most documents do. */
export function loadPdfjs(): Promise<PdfjsLibrary> {
  loading ??= load();
  return loading;
}

async function load(): Promise<PdfjsLibrary> {
  // The legacy build is the one for Node. Its other half, loaded into the same thread, saves a thread within it.
  const pdfjs = await import("pdfjs-dist/legacy/build/pdf.mjs");
  await import(import.meta.resolve("pdfjs-dist/legacy/build/pdf.worker.mjs"));
  const { createCanvas } = await import("@napi-rs/canvas");
  return { pdfjs, createCanvas };
}

const folder = (name: string): string =>
  fileURLToPath(new URL(`${name}/`, import.meta.resolve("pdfjs-dist/package.json")));

/** The largest picture inside a page that is decoded, pixels; a larger one is left out instead of filling memory. */
const maxImagePixels = 100_000_000;

/** What makes pdf.js draw without a browser: its own decoders, glyphs as paths, its data from its own folders. */
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
