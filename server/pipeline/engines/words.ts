/** What PDFium gives for a hyphen that it took to be one of hyphenation at a line's end. */
const lineEndHyphen = "\u0002";

/**
 * Makes text as engines give it fit for searching: compatibility forms such as ligatures and full-width letters
 * become plain (NFKC, Unicode UAX #15), words that hyphenation divided are joined, control characters go.
 * Lines stay lines.
 */
export function cleanWords(text: string): string {
  return (
    text
      .toWellFormed()
      .normalize("NFKC")
      .replace(/\r\n?|[\u2028\u2029\f\v]/g, "\n")
      // A soft hyphen is invisible unless a line ends with it.
      .replaceAll(new RegExp(`[${lineEndHyphen}\u00ad]\\s*`, "g"), "")
      // Only between small letters: "2010-\n2020" and "UTF-\n8" keep theirs.
      .replace(/(?<=\p{Ll})[-\u2010][^\S\n]*\n[^\S\n]*(?=\p{Ll})/gu, "")
      .replace(/[^\P{Cc}\n\t]|[\ufeff\ufffe\uffff\u200b]/gu, "")
      .replace(/[^\S\n]+/g, " ")
      .replace(/ ?\n ?/g, "\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim()
  );
}
