/** Letters and digits of a text layer that is more than a page number, a stamp or a heading. */
const minLetters = 64;
/**
 * Of a text layer's characters, at least so many are letters or digits where fonts say what their glyphs mean. Of 500 pages
 * of 22 real documents none had less than 0.4, tables of glyphs included; where fonts say nothing, it is next to none.
 */
export const minLetterShare = 0.3;
/** How many times the letters of a text layer of few words reading has to find to be believed. */
const clearlyMore = 1.5;

/**
 * Whether a page's text layer can stand for its words. It cannot if there is hardly any, as on scans, or if its
 * fonts do not tell letters, so that it is made of signs and of code points that mean nothing.
 */
export function isUsable(words: string): boolean {
  const letters = countLetters(words);
  // Dots that lead to a page number and lines to fill in are one sign each.
  const characters = words.replace(/\s+/gu, "").replace(/([^\p{L}\p{N}])\1+/gu, "$1").length;
  return letters >= minLetters && letters >= minLetterShare * characters;
}

/**
 * The words for the index of a page whose text layer is not usable: those that were read, and before them the few of a
 * text layer that is true but says little, such as a stamp on a scan.
 */
export function withRead(words: string, read: string): string {
  const known = countLetters(words);
  if (known >= minLetters) return read;
  return countLetters(read) > clearlyMore * known ? `${words}\n${read}`.trim() : words;
}

/** Letters that were read beside a text layer; fewer are a logo or a mark. */
const minBeside = 24;

/** The words for the index of a page whose text layer is usable, and whose pictures show other words. */
export function withBeside(words: string, read: string): string {
  return countLetters(read) < minBeside ? words : `${words}\n${read}`;
}

/** Letters and digits that Unicode knows. */
export function countLetters(words: string): number {
  return words.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
