/** Scripts whose words have spaces around them, and whose letters every PDF has in their order. */
const spelled = ["Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Hangul"]
  .map((script) => `\\p{Script=${script}}`)
  .join("");
/** A word of two letters or more, or one letter of another script, where order and ends of words are not kept. */
const term = new RegExp(`[${spelled}]{2,}|(?![${spelled}])\\p{L}`, "gu");

/**
 * The text without what programs write in several ways: case, presentation forms, marks above and below, invisible
 * characters.
 */
function plain(text: string): string {
  const bare = text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\p{M}\p{Cf}]/gu, "");
  return bare.normalize("NFC").replaceAll("ß", "ss").replaceAll("ς", "σ");
}

/** The terms by which texts are compared. Numbers are none: programs count pages, lists and dates anew. */
export function termsOf(text: string): string[] {
  return plain(text).match(term) ?? [];
}

/** All letters of a text in one: a term is in it also where a line or a gap between letters has broken it. */
export function lettersOf(text: string): string {
  return plain(text).replace(/\P{L}/gu, "");
}
