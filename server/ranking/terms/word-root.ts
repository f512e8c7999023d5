import { stem } from "./stem.ts";

/**
 * What all forms of a word have in common, by which pages are searched and read: in small letters, without its English ending,
 * without what ASCII has no letter for.
 */
export const wordRoot = (term: string): string =>
  stem(term.toLowerCase()).replace(unfolded, (letter) => folded.get(letter) ?? letter);

/**
 * Letters of Latin alphabets that are no letter with a mark, and what the index has for them. Of those in phonetic scripts alone
 * pages and questions keep the letter.
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

/** `wordRoot` of a lower-case word, remembered: the same words come again with every question. */
export function rootOf(lower: string): string {
  const known = remembered.get(lower);
  if (known !== undefined) return known;
  if (remembered.size >= maxRemembered) remembered.clear();
  const root = wordRoot(lower);
  remembered.set(lower, root);
  return root;
}
