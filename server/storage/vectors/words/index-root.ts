import { stem } from "../../../domain/stem.ts";

/** Bytes; the index leaves out longer words. */
export const maxWordBytes = 39;

/**
 * What a term is in the full-text index of `tables.ts`: in small letters, without its English ending, without what ASCII has no
 * letter for; undefined of terms that the index leaves out. Words with the same root are one word to a search.
 */
export function indexRoot(term: string): string | undefined {
  if (Buffer.byteLength(term) > maxWordBytes) return undefined;
  const root = stem(term.toLowerCase());
  if (root === "" || stopWords.has(root)) return undefined;
  return root.replace(unfolded, (letter) => folded.get(letter) ?? letter);
}

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

/** The English stop words of the index, which looks for them among the stems: "willing" is one as well. */
const stopWords = new Set(
  (
    "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its " +
    "itself they them their theirs themselves what which who whom this that these those am is are was were be been being have " +
    "has had having do does did doing a an the and but if or because as until while of at by for with about against between " +
    "into through during before after above below to from up down in out on off over under again further then once here there " +
    "when where why how all any both each few more most other some such no nor not only own same so than too very s t can " +
    "will just don should now d ll m o re ve y ain aren couldn didn doesn hadn hasn haven isn ma mightn mustn needn shan " +
    "shouldn wasn weren won wouldn"
  ).split(" "),
);
