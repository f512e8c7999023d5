import { numberTerm } from "./numbers.ts";
import type { Word } from "./word-forms.ts";

const piece = new RegExp(
  [
    String.raw`[vV]?(?<number>\p{Nd}+(?:[.,'’]\p{Nd}+)+)`,
    String.raw`(?<pairs>[\p{sc=Han}々]+|\p{sc=Hiragana}+|[\p{sc=Katakana}ー]+|\p{sc=Hangul}+)`,
    String.raw`(?<triples>[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]+)`,
    String.raw`(?<word>(?:(?![\p{sc=Han}々\p{sc=Hiragana}\p{sc=Katakana}ー\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])[\p{L}\p{N}\p{M}])+)`,
  ].join("|"),
  "gu",
);
const hyphenated = /(?<![\p{L}\p{N}-])(\p{L}+)[-‐‑](?:[ \t]*\r?\n[ \t]*)?(\p{L}+)(?![\p{L}\p{N}-])/gu;
const possessive = /(?<=\p{L})['’]s\b/giu;
const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff]/gu;

export interface Split {
  /** `inOrder`, and after them the words that a hyphen joins: the beginning of a page is its heading. */
  readonly terms: readonly string[];
  readonly inOrder: readonly string[];
  readonly words: readonly Word[];
}

export function split(text: string): Split {
  const clean = text.normalize("NFC").replace(invisible, "").replace(possessive, "");
  const words: Word[] = [];
  const joined = [...clean.matchAll(hyphenated)].map(([, first = "", second = ""]) => fold(first + second));
  const inOrder: string[] = [];
  for (const { groups = {} } of clean.matchAll(piece)) {
    for (const term of termsOf(groups, words)) if (term !== "") inOrder.push(term);
  }
  return { terms: [...inOrder, ...joined], inOrder, words };
}

function termsOf(
  { number, pairs, triples, word = "" }: Readonly<Record<string, string | undefined>>,
  words: Word[],
): readonly string[] {
  if (number !== undefined) return [numberTerm(number)];
  if (pairs !== undefined) return pairTerms(fold(pairs));
  if (triples !== undefined) return overlapping(triples, 3);
  const folded = fold(word);
  words.push({ written: word, folded });
  return [folded, ...partsOfIdentifier(folded)];
}

/** Without the accents of Latin, Greek and Cyrillic letters; the marks of other scripts are part of their letters. */
const fold = (text: string): string =>
  /^\p{ASCII}*$/u.test(text)
    ? text
    : text
        .normalize("NFKD")
        // Some letters stand for several words, or for a mark on nothing.
        .replace(/[\u0300-\u036f\s]/gu, "")
        .normalize("NFC");

/** A single hiragana is a particle: it is everywhere, and says nothing. */
const pairTerms = (text: string): readonly string[] => (/^\p{sc=Hiragana}$/u.test(text) ? [] : overlapping(text, 2));

function overlapping(text: string, length: number): readonly string[] {
  const characters = Array.from(text);
  if (characters.length <= length) return [text];
  return characters.slice(0, 1 - length).map((_, at) => characters.slice(at, at + length).join(""));
}

/** Where small letters, capitals and digits meet. */
const seams = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{Nd})|(?<=\p{Nd})(?=\p{L})/u;
/** More of them has only what is no name: hashes, encoded data. */
export const maxParts = 8;

export function partsOfIdentifier(word: string): readonly string[] {
  const parts = word.split(seams);
  if (parts.length < 2 || parts.length > maxParts) return [];
  return parts.filter(({ length }) => length > 1);
}

/** How many of the terms after a place are the parts of the identifier there. */
export function partsAfter(terms: readonly string[], at: number): number {
  const parts = partsOfIdentifier(terms[at] ?? "");
  return parts.every((part, place) => terms[at + 1 + place] === part) ? parts.length : 0;
}
