/** Minimum letters and digits of a text layer that is more than a page number, a stamp or a heading. */
const minLetters = 64;
/**
 * Minimum share of letters and digits in a text layer whose fonts map glyphs to Unicode. None of 500 pages of 22 real
 * documents had less than 0.4, tables of glyphs included; without such a mapping the share is near zero.
 */
export const minLetterShare = 0.3;
/** OCR replaces a text layer of few words only if it finds this many times its letters. */
const clearlyMore = 1.5;

/**
 * Whether a page's text layer can stand for its words. It cannot if there is hardly any text, as on scans, or if its fonts
 * do not map glyphs to letters, so that it consists of signs and meaningless code points.
 */
export function isUsable(words: string): boolean {
  const letters = countLetters(words);
  // A leader of dots to a page number and a line to fill in count as one sign each.
  const characters = words.replace(/\s+/gu, "").replace(/([^\p{L}\p{N}])\1+/gu, "$1").length;
  return letters >= minLetters && letters >= minLetterShare * characters;
}

/**
 * Returns the index words of a page whose text layer is not usable: the words that OCR read, preceded by the few words of a
 * text layer that is correct but short, such as a stamp on a scan.
 */
export function withRead(words: string, read: string): string {
  const known = countLetters(words);
  if (known >= minLetters) return read;
  return countLetters(read) > clearlyMore * known ? `${words}\n${read}`.trim() : words;
}

/** Minimum letters that OCR finds besides a text layer; fewer are a logo or a mark. */
const minBeside = 24;

/** Returns the index words of a page with a usable text layer whose pictures show further words. */
export function withBeside(words: string, read: string): string {
  return countLetters(read) < minBeside ? words : `${words}\n${read}`;
}

/** Counts letters and digits by their Unicode categories. */
export function countLetters(words: string): number {
  return words.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
