import { invalid } from "../../domain/errors.ts";
import type { WordConditions } from "../../domain/ports/vectors.ts";

/** The text of a query, and what it asks of the words of pages. */
export interface ReadText extends WordConditions {
  /** Without quotation marks, and without what is to be left out. */
  readonly text: string;
}

/** Bounds of what a query may ask of the words of pages; what comes after them counts as words. */
const max = { phrases: 8, without: 16, withoutPhrases: 8 };

const phrase = [
  `"(?<straight>[^"]*)"`,
  `＂(?<wide>[^＂]*)＂`,
  `[“„](?<curly>[^“”„]*)[“”]`,
  `[“„](?<begun>[^“”„"]*)"`,
  `«(?<angular>[^«»]*)»`,
  // What closes a quotation in most languages opens it in some, where a word follows.
  String.raw`(?<![\p{L}\p{N}])”(?=\S)(?<high>[^“”„]*)”`,
  String.raw`(?<![\p{L}\p{N}])»(?=\S)(?<turned>[^«»]*)[«»]`,
].join("|");
/** Scripts that write no spaces, or join words as Korean does: of these two characters are a word. */
const unspaced = String.raw`[\p{sc=Han}々\p{sc=Hiragana}\p{sc=Katakana}ー\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]`;
/** At least three letters: `-5` is a number, `-v` an option. */
const word = String.raw`(?!${unspaced})(?:\p{L}\p{M}*){3}[\p{L}\p{M}\p{Nd}]*`;
/** Whatever stands for more than one word: it is left out as it is written. */
const several = String.raw`${unspaced}{2,}|\p{L}[\p{L}\p{M}]*(?:[-‐‑]\p{L}[\p{L}\p{M}]*)+`;
/** After a word: a space, or the end of a sentence. What goes on is an option, an address or the name of a file. */
const end = String.raw`(?=$|\s|[.,;:!?)\]}…]+(?:$|\s)|[、。，．；：！？）」』】])`;
const condition = new RegExp(
  [
    String.raw`(?<minus>(?<=^|\s)[-−－])?(?<!\p{N})(?:${phrase})`,
    String.raw`(?<=^|\s)[-−－](?:(?<word>${word})|(?<several>${several}))${end}`,
  ].join("|"),
  "gu",
);
const hasLetters = /[\p{L}\p{N}]/u;

/**
 * What the text of a query says: `"exact phrases"` in quotation marks of any kind, which pages must have, `-words` and
 * `-"exact phrases"` that they must not have, and words. Throws `Invalid` if there is nothing but what is to be left out.
 */
export function readText(written: string): ReadText {
  const phrases: string[] = [];
  const without: string[] = [];
  const withoutPhrases: string[] = [];
  const text = written
    .replace(condition, (whole, ...rest: unknown[]) => {
      const { minus, word, several, ...quoted } = groupsOf(rest);
      if (word !== undefined) return note(without, word, max.without) ? "" : whole;
      const inside = several ?? Object.values(quoted).find((one) => one !== undefined) ?? "";
      if (!hasLetters.test(inside)) return whole;
      if (several !== undefined || minus !== undefined) {
        return note(withoutPhrases, inside, max.withoutPhrases) ? "" : whole;
      }
      return note(phrases, inside, max.phrases) ? ` ${inside} ` : whole;
    })
    .trim();
  const leftOut = [...without.map((one) => `-${one}`), ...withoutPhrases.map((one) => `-"${one}"`)];
  if (leftOut.length > 0 && !hasLetters.test(text)) {
    throw invalid(`the query only says what to leave out (${leftOut.join(" ")}); add words to look for`);
  }
  return { text: phrases.length + leftOut.length === 0 ? written : text, phrases, without, withoutPhrases };
}

/** Is there room for it? */
function note(conditions: string[], one: string, most: number): boolean {
  return conditions.length < most && conditions.push(one.trim()) > 0;
}

/** The named groups, which `replace` gives last. */
function groupsOf(rest: readonly unknown[]): Readonly<Record<string, string | undefined>> {
  const last = rest.at(-1);
  return isGroups(last) ? last : {};
}

const isGroups = (value: unknown): value is Readonly<Record<string, string | undefined>> =>
  typeof value === "object" && value !== null;
