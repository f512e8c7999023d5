import { readFileSync, statSync } from "node:fs";
import { cjkFonts } from "../../convert/fonts/packages.ts";
import type { Library } from "./library.ts";

/** A font for text whose own font a document names but does not embed. */
interface FallbackFont {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly bold: boolean;
}

/** Windows character sets, which PDFium passes in requests (fpdf_sysfontinfo.h), and the fonts for them. */
const charsets: ReadonlyMap<number, string> = new Map([
  [128, "NotoSansJP"],
  [129, "NotoSansKR"],
  [134, "NotoSansHans"],
  [136, "NotoSansHans"],
]);

/** Weights from here on count as bold, as in CSS. */
const boldWeight = 600;

/**
 * Gives PDFium fonts for Japanese, Korean and Chinese text whose fonts a document does not embed. The callbacks of an
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
  // 0 stands for no font in PDFium.
  const fontOf = (handle: number): FallbackFont | undefined => fonts[handle - 1];

  function mapFont(_info: number, weight: number, _italic: number, charset: number): number {
    const family = charsets.get(charset);
    if (family === undefined) return 0;
    return fonts.findIndex(({ name, bold }) => name.startsWith(family) && bold === weight >= boldWeight) + 1;
  }

  /**
   * Returns the font's data. `table` 0 is the whole file; PDFium requests other tables only to recognise collections, and there
   * are none.
   */
  function fontData(_info: number, handle: number, table: number, buffer: number, size: number): number {
    const font = fontOf(handle);
    if (font === undefined || table !== 0) return 0;
    if (buffer === 0 || size < font.size) return font.size;
    try {
      library.heap().set(readFileSync(font.path), buffer);
      return font.size;
    } catch {
      // An exception must not pass through PDFium's frames; without the font the text stays blank.
      return 0;
    }
  }

  // Each needs a function of its own, because a function that is added a second time keeps its first signature.
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
  // This memory is never freed, because PDFium uses it during the instance's lifetime.
  const info = library.malloc(4 * (callbacks.length + 1));
  const words = [1, ...callbacks.map(([callback, signature]) => addFunction(callback, signature))];
  words.forEach((word, index) => library.view().setUint32(info + 4 * index, word, true));
  library.call(() => functions.FPDF_SetSystemFontInfo(info));
}
