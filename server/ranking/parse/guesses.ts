import type { PageKey } from "../../domain/ports/vectors.ts";
import type { Identifier } from "../terms/terms.ts";

/**
 * The words on the pages of a workspace. The result must not depend on other workspaces, and should not depend on the datasets to
 * search.
 */
export interface Vocabulary {
  has(word: string): Promise<boolean>;
  /**
   * Records which words are on these pages of the workspace, if the pages are in memory, so that the words need not be looked up.
   */
  note?(words: readonly string[], pages: readonly PageKey[]): Promise<void>;
}

/** Maximum numbers of words of a question to look up, and of unknown words to search in other forms. */
const max = { lookedUp: 8, guessed: 2 };

/** Returns the longest words that no page of the workspace has. Most words are on pages in `found`. */
async function unknownWords(
  { has, note }: Vocabulary,
  terms: readonly string[],
  found: readonly PageKey[],
): Promise<readonly string[]> {
  const words = terms
    .filter((word) => canBeMisspelt(word) || canBeCompound(word))
    .toSorted((one, other) => other.length - one.length)
    .slice(0, max.lookedUp);
  await note?.(words, found);
  const known = await Promise.all(words.map(has));
  return words.filter((_, at) => known[at] === false).slice(0, max.guessed);
}

/**
 * Returns, by term, other words to search for if no page has a term of the question: the parts of a compound, or else words that
 * differ by one typing error. `found` has the pages that the question has found.
 */
export async function guessesFor(
  vocabulary: Vocabulary,
  terms: readonly string[],
  found: readonly PageKey[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { has } = vocabulary;
  const guesses = (await unknownWords(vocabulary, terms, found)).map(async (word) => {
    const parts = canBeCompound(word) ? await partsOfCompound(word, has) : [];
    return [word, parts.length === 0 && canBeMisspelt(word) ? oneSlipAway(word) : parts] as const;
  });
  return new Map((await Promise.all(guesses)).filter(([, { length }]) => length > 0));
}

/** Returns the parts of identifiers that no page of the workspace has as a whole. Pages may have the parts as words. */
export async function partsOfUnknown(
  { has }: Vocabulary,
  identifiers: readonly Identifier[],
): Promise<readonly string[]> {
  const some = identifiers.slice(0, max.lookedUp);
  const found = await Promise.all(some.map(({ whole }) => has(whole)));
  return some.flatMap(({ parts }, at) => (found[at] === true ? [] : parts));
}

/** Lengths of words to correct: shorter words resemble too many others, and longer ones are not words. */
const corrected = { min: 6, max: 20 };

const alphabets = [
  { script: /^[a-z]+$/, letters: "abcdefghijklmnopqrstuvwxyz" },
  { script: /^[а-я]+$/, letters: "абвгдежзиклмнопрстуфхцчшщъыьэюя" },
  { script: /^[α-ω]+$/, letters: "αβγδεζηθικλμνξοπρσςτυφχψω" },
];

/** Whether other spellings of a word can be searched. */
export const canBeMisspelt = (word: string): boolean =>
  word.length >= corrected.min && word.length <= corrected.max && alphabetOf(word.toLowerCase()) !== undefined;

/**
 * Returns all spellings that differ from the word by one typing error: a letter left out, doubled, added or replaced, or two
 * letters swapped (Damerau, "A technique for computer detection and correction of spelling errors", 1964). For a word of nine
 * letters these are some 500, of which an index has one or two.
 */
export function oneSlipAway(word: string): readonly string[] {
  const lower = word.toLowerCase();
  const found = new Set<string>();
  for (let at = 0; at <= lower.length; at++) {
    const [before, after] = [lower.slice(0, at), lower.slice(at)];
    const [first = "", second = ""] = after;
    if (after !== "") found.add(before + after.slice(1));
    if (second !== "") found.add(before + second + first + after.slice(2));
    for (const letter of alphabetOf(lower) ?? "") {
      found.add(before + letter + after);
      if (after !== "") found.add(before + letter + after.slice(1));
    }
  }
  found.delete(lower);
  return [...found];
}

const alphabetOf = (word: string): string | undefined => alphabets.find(({ script }) => script.test(word))?.letters;

/** Lengths of words that may be compounds, and the minimum length of their parts. */
const compound = { min: 9, max: 40, part: 4 };

/** Elements that link the parts of German, Dutch and Scandinavian compounds; see `splits`. */
const links = ["", "s", "es", "n", "en", "e", "er"];

/** Whether a word can be searched by its parts. */
export const canBeCompound = (word: string): boolean =>
  word.length >= compound.min && word.length <= compound.max && /^\p{L}+$/u.test(word);

interface Division {
  readonly left: string;
  readonly right: string;
}

/**
 * Returns the possible divisions of the word, the most even first. The same place may occur with and without a linking element.
 */
function splits(word: string): readonly Division[] {
  const found: Division[] = [];
  for (let at = compound.part; at <= word.length - compound.part; at++) {
    for (const link of links) {
      const left = word.slice(0, at - link.length);
      if (left.length >= compound.part && word.slice(0, at).endsWith(link)) found.push({ left, right: word.slice(at) });
    }
  }
  return found.toSorted((one, other) => shorter(other) - shorter(one));
}

const shorter = ({ left, right }: Division): number => Math.min(left.length, right.length);

/**
 * Returns the two parts of a compound that are both known, from the most even division; empty if there is none. The dictionary is
 * the searched text, as in Koehn and Knight, "Empirical Methods for Compound Splitting", 2003.
 */
export async function partsOfCompound(
  word: string,
  isKnown: (word: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const candidates = splits(word.toLowerCase());
  const ends = [...new Set(candidates.map(({ right }) => right))];
  const areKnown = await Promise.all(ends.map(isKnown));
  const known = new Set(ends.filter((_, at) => areKnown[at]));
  for (const { left, right } of candidates) {
    if (known.has(right) && (await isKnown(left))) return [left, right];
  }
  return [];
}
