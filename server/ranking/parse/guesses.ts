import type { PageKey } from "../../domain/ports/vectors.ts";
import type { Identifier } from "../terms/terms.ts";

/** What words the pages of a workspace have. What other workspaces have must not matter, and what the datasets asked for have should not. */
export interface Vocabulary {
  has(word: string): Promise<boolean>;
  /** Notes the words that are on these pages of the workspace, as far as the pages are in memory: they need not be looked up. */
  note?(words: readonly string[], pages: readonly PageKey[]): Promise<void>;
}

/** Words of a question that are looked up, and of those unknown, how many are asked for in other spellings or by their parts. */
const max = { lookedUp: 8, guessed: 2 };

/** The longest words that no page of the workspace has; of those that were found some have most of the words. */
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
 * What may be meant by terms of a question that no page has, by term: the words that they are put together of, or else words one slip
 * away. `found`: pages that the question has found.
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

/** The parts of identifiers that no page of the workspace has as a whole: it may have them as words. */
export async function partsOfUnknown(
  { has }: Vocabulary,
  identifiers: readonly Identifier[],
): Promise<readonly string[]> {
  const some = identifiers.slice(0, max.lookedUp);
  const found = await Promise.all(some.map(({ whole }) => has(whole)));
  return some.flatMap(({ parts }, at) => (found[at] === true ? [] : parts));
}

/** Shorter words are one letter away from too many others, longer ones are no words. */
const corrected = { min: 6, max: 20 };

const alphabets = [
  { script: /^[a-z]+$/, letters: "abcdefghijklmnopqrstuvwxyz" },
  { script: /^[а-я]+$/, letters: "абвгдежзиклмнопрстуфхцчшщъыьэюя" },
  { script: /^[α-ω]+$/, letters: "αβγδεζηθικλμνξοπρσςτυφχψω" },
];

/** Can a word be looked for with other spellings? */
export const canBeMisspelt = (word: string): boolean =>
  word.length >= corrected.min && word.length <= corrected.max && alphabetOf(word.toLowerCase()) !== undefined;

/**
 * Everything that is one slip away from the word: a letter left out, doubled or added, another letter, two swapped
 * (Damerau, "A technique for computer detection and correction of spelling errors", 1964). For a word of nine letters
 * some 500, of which an index has one or two.
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

/** Letters of a word that may be put together of two, and of the shorter of these. */
const compound = { min: 9, max: 40, part: 4 };

/** What joins the parts of German compounds, and of Dutch and Scandinavian ones; see `splits`. */
const links = ["", "s", "es", "n", "en", "e", "er"];

/** Can a word be looked for by its parts? */
export const canBeCompound = (word: string): boolean =>
  word.length >= compound.min && word.length <= compound.max && /^\p{L}+$/u.test(word);

interface Division {
  readonly left: string;
  readonly right: string;
}

/** Where the word may divide, most even first; the same place more than once, with and without a linking element. */
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
 * The two words that a compound is put together of, of those that `isKnown` knows; the most even division of several. Empty if
 * there is none. The dictionary is what is searched, as in Koehn and Knight, "Empirical Methods for Compound Splitting", 2003.
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
