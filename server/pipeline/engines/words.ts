import type { Rewritable, TracedText } from "../../ranking/terms/traced-text.ts";

/** The character with which PDFium replaces a hyphen and line end if a word continues on the next line. */
export const dividedWord = "\ufffe";

/** The replacement for a glyph that its font does not map to Unicode (Unicode, chapter 23.8). */
const unknownGlyph = "\ufffd";

/**
 * Prepares the text of an engine for searching: compatibility forms such as ligatures and full-width letters become plain (NFKC,
 * Unicode UAX #15), and hyphenated words are joined. A single control character becomes a space, because some fonts map spaces to
 * control characters. Several in a row are glyphs without a meaning. Line breaks remain.
 */
export function cleanWords(text: string): string;
export function cleanWords(text: TracedText): TracedText;
export function cleanWords<Text extends Rewritable<Text>>(text: Text): Text {
  return (
    text
      .toWellFormed()
      .replace(accented, (_, accent = "", letter = "") => plainLetter(letter) + combining(accent))
      .normalize("NFKC")
      .replace(/\r\n?|[\u2028\u2029]/g, "\n")
      .replace(controls, (found) => (found.length < 2 ? " " : unknownGlyph.repeat(found.length)))
      .replace(/[\f\v]/g, "\n")
      // A soft hyphen is invisible unless a line ends with it.
      .replace(/\u00ad\s*/g, "")
      // Only between small letters: "2010-\n2020" and "UTF-\n8" keep their hyphens.
      .replace(/(?<=\p{Ll})(?:[-\u2010][^\S\n]*\n[^\S\n]*|\ufffe\s*)(?=\p{Ll})/gu, "")
      .replace(everyDivision, "-")
      .replace(/[\ufeff\uffff\u200b]/g, "")
      .replace(/[^\S\n]+/g, " ")
      .replace(spacedSigns, (signs) => signs.replaceAll(" ", ""))
      .replace(/ ?\n ?/g, "\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim()
  );
}

const sign = String.raw`[\p{sc=Han}々\p{sc=Hiragana}\p{sc=Katakana}ー]`;
/** Spaces between single Chinese or Japanese signs. They are due to typesetting, because these scripts have no spaces. */
const spacedSigns = new RegExp(`(?<!${sign})${sign}(?: ${sign}){2,}(?!${sign})`, "gu");

const everyDivision = new RegExp(dividedWord, "g");

/** TeX's older fonts draw separate accents before their letters, and use i and j without dots. */
const accented = /(?<=\p{L})([´¨ˆ˜ˇ˚])([aeiouyncszrAEIOUYNCSZR\u0131\u0237])/gu;
const accents: Readonly<Record<string, string>> = {
  "´": "\u0301",
  "¨": "\u0308",
  ˆ: "\u0302",
  "˜": "\u0303",
  ˇ: "\u030c",
  "˚": "\u030a",
};
const combining = (accent: string): string => accents[accent] ?? "";
const plainLetter = (letter: string): string => (letter === "\u0131" ? "i" : letter === "\u0237" ? "j" : letter);

/** Runs of control characters that are not white space, with white space between them. */
const controls = /[^\P{Cc}\s](?:[\f\v]?[^\P{Cc}\s])*/gu;
