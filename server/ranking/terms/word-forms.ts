import { languageOf } from "./stop-words.ts";

/** A word as it is written in the text, and without accents. */
export interface Word {
  readonly written: string;
  readonly folded: string;
}

/**
 * Returns the beginnings of a word. Only English words are stemmed; words of other languages are also found by their beginnings.
 * This ranks about as well as stemming (McNamee and Mayfield, "Character N-Gram Tokenization for European Language Text
 * Retrieval", 2004) and needs no knowledge of the language. The beginnings are the first four letters of words of four to seven
 * letters, and the first five of words of six or more.
 */
export function formsOf(word: string): readonly string[] {
  const letters = Array.from(word);
  if (letters.length < 4 || !isOfLetters(word)) return [];
  const forms: string[] = [];
  // The asterisk distinguishes a beginning from a word, and protects it from the stemmer.
  if (letters.length <= 7) forms.push(`${letters.slice(0, 4).join("")}*`);
  if (letters.length >= 6) forms.push(`${letters.slice(0, 5).join("")}*`);
  return forms;
}

const isOfLetters = (word: string): boolean => /^\p{L}+$/u.test(word);

/** Number of letters by which a short or long last part of a compound is found, and minimum number of letters before it. */
const compound = { short: 5, long: 8, before: 4 };

/** Returns the terms of a page for the last parts of its compounds: the ends of long words, with and without their inflection. */
export function lastPartsOf(word: string): readonly string[] {
  if (word.length < compound.short + compound.before || !isOfLetters(word)) return [];
  const stem = stemOf(word);
  const ends = [endOf(word, compound.short), endOf(stem, compound.short)];
  return [...new Set(stem.length < compound.long + compound.before ? ends : [...ends, endOf(stem, compound.long)])];
}

/**
 * Returns the forms to search for a word of a question: those of words with the same beginning, and of compounds whose last part
 * is the word.
 */
function formsAskedFor(word: string): readonly string[] {
  if (!isOfLetters(word)) return [];
  const beginning = word.length === compound.short ? [`${word}*`] : [];
  const stem = stemOf(word);
  if (stem.length >= compound.long) return [...formsOf(word), endOf(stem, compound.long)];
  const ends = [word, stem].filter(({ length }) => length >= compound.short).map((one) => endOf(one, compound.short));
  return [...new Set([...formsOf(word), ...beginning, ...ends])];
}

/** Asterisks distinguish an end from a beginning, and protect it from the stemmer. */
const endOf = (word: string, length: number): string => `*${word.slice(-length)}*`;

/** Removes the most common endings of German words. */
const stemOf = (word: string): string => word.replace(/(?:e[mnrs]?|n)$/iu, "");

const compounding: ReadonlySet<string> = new Set(["de", "nl"]);
/** Minimum share of stop words in a text whose language counts as known; German and Dutch prose has some 40 %. */
const minStopShare = 0.1;

/** Terms by which a page is found in addition to its words. */
interface FormsOnPage {
  beginningsOf(word: Word): readonly string[];
  /** The ends of compounds. */
  endsOf(word: Word): readonly string[];
}

/** Returns the forms of a page with these words. */
export function formsOnPage(words: readonly Word[]): FormsOnPage {
  const isForeign = isForeignText(words);
  const mayEnd = isForeign && hasCompounds(words);
  return {
    beginningsOf: ({ folded }) => (isForeign ? formsOf(folded) : []),
    endsOf: ({ folded }) => (mayEnd ? lastPartsOf(folded) : []),
  };
}

/** Whether this page is in a language that writes compounds as one word, among those with known stop words. */
function hasCompounds(words: readonly Word[]): boolean {
  const { language = "", count = 0 } = languageOf(words.map(({ folded }) => folded)) ?? {};
  return compounding.has(language) && count >= minStopShare * words.length;
}

/** Returns the function that creates the forms to search for each word of a question. */
export function formsInQuestion(words: readonly Word[]): (word: string) => readonly string[] {
  if (isEnglishQuestion(words)) return () => [];
  return mayHaveCompounds(words) ? formsAskedFor : formsOf;
}

/** Whether this question is in a language that writes compounds as one word, or too short to decide. */
function mayHaveCompounds(words: readonly Word[]): boolean {
  const found = languageOf(words.map(({ folded }) => folded));
  return found === undefined || compounding.has(found.language);
}

/** Words that make up a third of English text, and carry no content in German, French, Spanish, Italian, Dutch or Portuguese. */
const english = new Set(
  "the of and to is that for with on by are this from or which not have it be what how does when where who why".split(
    " ",
  ),
);

/**
 * Maximum share of these words in text of other languages, where they come from a few borrowed titles. English prose has 25 to 40
 * %, English tables almost none.
 */
const maxEnglishShare = 0.08;
/** Minimum share of letters with accents or of another alphabet; Dutch and Italian have the fewest, English almost none. */
const minForeignShare = 0.005;

/** Whether this page is in a language other than English. False for tables without accents. */
function isForeignText(words: readonly Word[]): boolean {
  const known = words.filter(({ written }) => english.has(written.toLowerCase())).length;
  if (known > maxEnglishShare * words.length) return false;
  let [letters, foreign] = [0, 0];
  for (const { written } of words) {
    letters += written.length;
    foreign += written.replace(/[\p{ASCII}\p{N}]/gu, "").length;
  }
  return foreign > minForeignShare * letters;
}

export const isEnglishQuestion = (words: readonly Word[]): boolean =>
  words.some(({ written }) => english.has(written.toLowerCase()));
