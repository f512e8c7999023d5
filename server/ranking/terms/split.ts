import type { Rewritable, Stretch, TracedText } from "./traced-text.ts";
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

/** A word, a number, or neighbouring characters of a script without spaces: its place in a text, and its terms in the index. */
export interface Piece extends Stretch {
  readonly terms: readonly string[];
  /** Undefined if the piece is not a word between spaces. */
  readonly word?: Word;
}

export interface Split {
  /** The terms of `inOrder`, then those of `joined`, so that the heading of a page stays at the beginning. */
  readonly terms: readonly string[];
  readonly inOrder: readonly Piece[];
  /** Words that are joined by a hyphen. */
  readonly joined: readonly Piece[];
  readonly words: readonly Word[];
}

export const split = (text: string): Split => splitCleaned(cleaned(text));

/** Splits a text that `cleaned` has returned. */
export function splitCleaned(clean: string): Split {
  const joined = Array.from(clean.matchAll(hyphenated), ({ 0: written, 1: first = "", 2: second = "", index }) => ({
    ...stretchOf(index, written),
    terms: [fold(first + second)],
  }));
  const pieces: Piece[] = [];
  for (const { 0: written, index, groups = {} } of clean.matchAll(piece)) {
    for (const found of piecesOf(groups, stretchOf(index, written))) pieces.push(found);
  }
  // Marks without a letter count as words when the language is determined, but have no terms.
  const inOrder = pieces.filter(({ terms }) => terms[0] !== "");
  return {
    terms: [...inOrder, ...joined].flatMap(({ terms }) => terms),
    inOrder,
    joined,
    words: pieces.flatMap(({ word }) => word ?? []),
  };
}

/** Removes invisible characters and possessive endings. */
export function cleaned(text: string): string;
export function cleaned(text: TracedText): TracedText;
export function cleaned<Text extends Rewritable<Text>>(text: Text): Text {
  return text.normalize("NFC").replace(invisible, "").replace(possessive, "");
}

const stretchOf = (from: number, { length }: string): Stretch => ({ from, to: from + length });

function piecesOf(
  { number, pairs, triples, word = "" }: Readonly<Record<string, string | undefined>>,
  whole: Stretch,
): readonly Piece[] {
  if (number !== undefined) return [{ ...whole, terms: [numberTerm(number)] }];
  if (pairs !== undefined) return isParticle(pairs) ? [] : overlapping(fold(pairs), 2, whole);
  if (triples !== undefined) return overlapping(triples, 3, whole);
  const folded = fold(word);
  return [{ ...whole, terms: [folded, ...partsOfIdentifier(folded)], word: { written: word, folded } }];
}

/**
 * Returns the term of a number with separators, the same however it is written: `1,234.50`, `1.234,5` and `1234.5` become
 * `1234d5`, `1,234` and `1.234` become `1234`. Other numbers, such as `3.1.2` or `10.0.0.1`, keep their parts in one term.
 */
function numberTerm(number: string): string {
  const groups = number.split(/[.,'’]/);
  const separators = [...number.matchAll(/[.,'’]/g)].map(([separator]) => separator);
  const [wholes, fraction] = [groups.slice(0, -1), groups.at(-1) ?? ""];
  if (areThousands(groups) && areAlike(separators)) return groups.join("");
  const [before, point] = [separators.slice(0, -1), separators.at(-1) ?? ""];
  if (!areThousands(wholes) || !areAlike(before) || before.includes(point)) return groups.join("d");
  const digits = fraction.replace(/0+$/, "");
  return digits === "" ? wholes.join("") : `${wholes.join("")}d${digits}`;
}

/** Whether these are groups of three digits, the first of which may be shorter, or a single group. */
const areThousands = ([first = "", ...others]: readonly string[]): boolean =>
  others.length === 0 || (first.length <= 3 && others.every(({ length }) => length === 3));

const areAlike = (separators: readonly string[]): boolean => new Set(separators).size < 2;

/** Removes the accents of Latin, Greek and Cyrillic letters; the marks of other scripts are part of their letters. */
const fold = (text: string): string =>
  /^\p{ASCII}*$/u.test(text)
    ? text
    : text
        .normalize("NFKD")
        // Some characters decompose to several words, or to a mark without a letter.
        .replace(/[\u0300-\u036f\s]/gu, "")
        .normalize("NFC");

/** Whether the text is a single hiragana character, which occurs everywhere. */
const isParticle = (text: string): boolean => /^\p{sc=Hiragana}$/u.test(text);

/**
 * Returns overlapping pieces of a text. `whole` is the place of the text; if its length has changed, all pieces have this place.
 */
function overlapping(text: string, length: number, whole: Stretch): readonly Piece[] {
  const characters = Array.from(text);
  if (characters.length <= length) return [{ ...whole, terms: [text] }];
  const isAsWritten = text.length === whole.to - whole.from;
  let at = whole.from;
  return characters.slice(0, 1 - length).map((character, first) => {
    const term = characters.slice(first, first + length).join("");
    const place = isAsWritten ? stretchOf(at, term) : whole;
    at += character.length;
    return { ...place, terms: [term] };
  });
}

/** Boundaries between small letters, capitals and digits. */
const seams = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{Nd})|(?<=\p{Nd})(?=\p{L})/u;
/** Maximum number of parts of an identifier; only hashes and encoded data have more. */
export const maxParts = 8;

export function partsOfIdentifier(word: string): readonly string[] {
  const parts = word.split(seams);
  if (parts.length < 2 || parts.length > maxParts) return [];
  return parts.filter(({ length }) => length > 1);
}

/** Returns the number of terms after a place that are parts of the identifier at that place. */
export function partsAfter(terms: readonly string[], at: number): number {
  const parts = partsOfIdentifier(terms[at] ?? "");
  return parts.every((part, place) => terms[at + 1 + place] === part) ? parts.length : 0;
}

/** Neighbouring words of a question, separate and joined to one word. */
interface JoinedNeighbours {
  readonly joined: string;
  readonly words: readonly string[];
}

/** Maximum number of words to join with the words that follow; a question is rarely longer. */
const maxFirst = 32;
const counts = [2, 3];

/** Joins two or three neighbouring words, as file names do: "otter report" finds `otterreport.pdf`. */
export function joinedNeighbours(text: string): readonly JoinedNeighbours[] {
  const words = split(text).words.map(({ folded }) => folded);
  return words.slice(0, maxFirst).flatMap((_, at) =>
    counts
      .map((count) => words.slice(at, at + count))
      .filter((some, place) => some.length === counts[place] && some.every((word) => /^\p{L}{3,}$/u.test(word)))
      .map((some) => ({ joined: some.join(""), words: some })),
  );
}
