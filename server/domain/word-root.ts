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
