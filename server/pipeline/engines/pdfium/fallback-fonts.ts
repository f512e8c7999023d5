import { readFileSync, statSync } from "node:fs";
import { cjkFonts } from "../../convert/fonts/packages.ts";
import type { Library } from "./library.ts";

/** A font that stands in where a document names one and brings none. */
interface FallbackFont {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly bold: boolean;
}

/** Windows character sets, by which PDFium asks (fpdf_sysfontinfo.h), and the fonts for them. */
const charsets: ReadonlyMap<number, string> = new Map([
  [128, "NotoSansJP"],
  [129, "NotoSansKR"],
  [134, "NotoSansHans"],
  [136, "NotoSansHans"],
]);

/** From here on a weight counts as bold, as in CSS. */
const boldWeight = 600;

/**
 * Gives PDFium fonts for Japanese, Korean and Chinese text whose fonts a document does not bring. The callbacks of an
 * FPDF_SYSFONTINFO (fpdf_sysfontinfo.h, version 1) answer from font files, which are read when a page needs one.
 */
export function installFallbackFonts(library: Library): void {
  const { functions } = library;
  const { addFunction } = functions.pdfium;
  const fonts = cjkFonts().map(({ name, path }): FallbackFont & { readonly name: string } => ({
    name,
    path,
    size: statSync(path).size,
    bold: name.includes("Bold"),
  }));
  // PDFium takes 0 for none.
  const fontOf = (handle: number): FallbackFont | undefined => fonts[handle - 1];

  function mapFont(_info: number, weight: number, _italic: number, charset: number): number {
    const family = charsets.get(charset);
    if (family === undefined) return 0;
    return fonts.findIndex(({ name, bold }) => name.startsWith(family) && bold === weight >= boldWeight) + 1;
  }

  /** `table` 0: the whole file; the other tables are asked for to see whether it is a collection, which none is. */
  function fontData(_info: number, handle: number, table: number, buffer: number, size: number): number {
    const font = fontOf(handle);
    if (font === undefined || table !== 0) return 0;
    if (buffer === 0 || size < font.size) return font.size;
    try {
      library.heap().set(readFileSync(font.path), buffer);
      return font.size;
    } catch {
      // An exception must not run through PDFium's frames; without the font the text stays blank, as it was.
      return 0;
    }
  }

  // A function of its own for each: one that is added twice keeps its first signature.
  const callbacks: readonly (readonly [callback: (...args: number[]) => number | void, signature: string])[] = [
    [() => undefined, "vi"], // Release
    [() => undefined, "vii"], // EnumFonts
    [mapFont, "iiiiiiii"],
    [() => 0, "iii"], // GetFont
    [fontData, "iiiiii"],
    [() => 0, "iiiii"], // GetFaceName
    [() => 0, "iii"], // GetFontCharset
    [() => undefined, "vii"], // DeleteFont
  ];
  // Never freed: it is PDFium's for as long as the instance lives.
  const info = library.malloc(4 * (callbacks.length + 1));
  const words = [1, ...callbacks.map(([callback, signature]) => addFunction(callback, signature))];
  words.forEach((word, index) => library.view().setUint32(info + 4 * index, word, true));
  library.call(() => functions.FPDF_SetSystemFontInfo(info));
}
