/** Scripts with spaces between words, whose letters are in order in every PDF. */
const spelled = ["Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Hangul"]
  .map((script) => `\\p{Script=${script}}`)
  .join("");
/** A word of two letters or more, or one letter of another script, where word order and boundaries get lost. */
const term = new RegExp(`[${spelled}]{2,}|(?![${spelled}])\\p{L}`, "gu");

/**
 * Removes everything that programs write in different ways: case, presentation forms, diacritics, invisible characters.
 */
function plain(text: string): string {
  const bare = text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\p{M}\p{Cf}]/gu, "");
  return bare.normalize("NFC").replaceAll("ß", "ss").replaceAll("ς", "σ");
}

/** The terms by which texts are compared. Numbers are left out, because programs recount pages, lists and dates. */
export function termsOf(text: string): string[] {
  return plain(text).match(term) ?? [];
}

/** All letters of a text without gaps, so that it contains terms that a line break or a gap between letters has divided. */
export function lettersOf(text: string): string {
  return plain(text).replace(/\P{L}/gu, "");
}
