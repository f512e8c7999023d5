import { stem } from "./stem.ts";

/**
 * Returns the common root of all forms of a word, by which pages are searched and read. It is in lower case, without an English
 * ending, and with ASCII letters in place of some others.
 */
export const wordRoot = (term: string): string =>
  stem(term.toLowerCase()).replace(unfolded, (letter) => folded.get(letter) ?? letter);

/**
 * Letters of Latin alphabets that do not decompose to a letter and a mark, and their replacements in the index. Letters that
 * occur only in phonetic alphabets are not replaced.
 */
const folded = new Map(
  Object.entries({
    ß: "ss",
    æ: "ae",
    œ: "oe",
    ø: "o",
    đ: "d",
    ð: "d",
    þ: "th",
    ħ: "h",
    ı: "i",
    ł: "l",
    ŋ: "n",
    ŧ: "t",
    ĸ: "k",
  }),
);
const unfolded = new RegExp(`[${[...folded.keys()].join("")}]`, "gu");

const maxRemembered = 50_000;
const remembered = new Map<string, string>();

/** `wordRoot` of a lower-case word, with a cache, since the same words occur in many questions. */
export function rootOf(lower: string): string {
  const known = remembered.get(lower);
  if (known !== undefined) return known;
  if (remembered.size >= maxRemembered) remembered.clear();
  const root = wordRoot(lower);
  remembered.set(lower, root);
  return root;
}
