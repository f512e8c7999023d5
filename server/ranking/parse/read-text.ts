import { invalid } from "../../domain/errors.ts";
import type { WordConditions } from "../../domain/ports/vectors.ts";

/** The text of a query, and its conditions on the words of pages. */
interface ReadText extends WordConditions {
  /** The text without quotation marks and excluded words. */
  readonly text: string;
}

/** Maximum number of conditions of each kind; further conditions are read as plain words. */
const max = { phrases: 8, without: 16, withoutPhrases: 8 };

const phrase = [
  `"(?<straight>[^"]*)"`,
  `＂(?<wide>[^＂]*)＂`,
  `[“„](?<curly>[^“”„]*)[“”]`,
  `[“„](?<begun>[^“”„"]*)"`,
  `«(?<angular>[^«»]*)»`,
  // A mark that closes a quotation in most languages opens one in some languages, if a word follows.
  String.raw`(?<![\p{L}\p{N}])”(?=\S)(?<high>[^“”„]*)”`,
  String.raw`(?<![\p{L}\p{N}])»(?=\S)(?<turned>[^«»]*)[«»]`,
].join("|");
/** Scripts without spaces between words, or that join words like Korean: two of their characters count as a word. */
const unspaced = String.raw`[\p{sc=Han}々\p{sc=Hiragana}\p{sc=Katakana}ー\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]`;
/** An excluded word has at least three letters: `-5` is a number, `-v` an option. */
const word = String.raw`(?!${unspaced})(?:\p{L}\p{M}*){3}[\p{L}\p{M}\p{Nd}]*`;
/** Text that counts as more than one word, so that it is excluded as a phrase. */
const several = String.raw`${unspaced}{2,}|\p{L}[\p{L}\p{M}]*(?:[-‐‑]\p{L}[\p{L}\p{M}]*)+`;
/**
 * An excluded word must be followed by a space or the end of a sentence. Otherwise it is an option, an address or a file name.
 */
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
 * Reads the text of a query: `"exact phrases"` in quotation marks of any kind, which pages must have, `-words` and
 * `-"exact phrases"` that they must not have, and plain words. Throws `Invalid` if the query has only exclusions.
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

/** Adds a condition if there are fewer than `most`; returns whether it was added. */
function note(conditions: string[], one: string, most: number): boolean {
  return conditions.length < most && conditions.push(one.trim()) > 0;
}

/** The named groups, which `replace` passes as the last argument. */
function groupsOf(rest: readonly unknown[]): Readonly<Record<string, string | undefined>> {
  const last = rest.at(-1);
  return isGroups(last) ? last : {};
}

const isGroups = (value: unknown): value is Readonly<Record<string, string | undefined>> =>
  typeof value === "object" && value !== null;
