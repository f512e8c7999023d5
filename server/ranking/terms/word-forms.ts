import { languageOf } from "./stop-words.ts";

/** A word as it stood in the text, and without its accents. */
export interface Word {
  readonly written: string;
  readonly folded: string;
}

/**
 * Stems are English only. Words of other languages count by their beginnings as well, which ranks about as well as stems
 * (McNamee and Mayfield, "Character N-Gram Tokenization for European Language Text Retrieval", 2004) and needs to know
 * no language: the first four letters of words of four to seven, the first five of words of six and more.
 */
export function formsOf(word: string): readonly string[] {
  const letters = Array.from(word);
  if (letters.length < 4 || !isOfLetters(word)) return [];
  const forms: string[] = [];
  // The asterisk keeps a beginning apart from a word, and from the stemmer.
  if (letters.length <= 7) forms.push(`${letters.slice(0, 4).join("")}*`);
  if (letters.length >= 6) forms.push(`${letters.slice(0, 5).join("")}*`);
  return forms;
}

const isOfLetters = (word: string): boolean => /^\p{L}+$/u.test(word);

/** Letters of the end by which the last part of a compound is found, of short and of long parts, and of what stands before it. */
const compound = { short: 5, long: 8, before: 4 };

/** What a page has for the last parts of its compounds: the ends of long words, with and without their inflection. */
export function lastPartsOf(word: string): readonly string[] {
  if (word.length < compound.short + compound.before || !isOfLetters(word)) return [];
  const stem = stemOf(word);
  const ends = [endOf(word, compound.short), endOf(stem, compound.short)];
  return [...new Set(stem.length < compound.long + compound.before ? ends : [...ends, endOf(stem, compound.long)])];
}

/** The forms of a word of a question: of words that begin as it does, and of compounds that it is the last part of. */
function formsAskedFor(word: string): readonly string[] {
  if (!isOfLetters(word)) return [];
  const beginning = word.length === compound.short ? [`${word}*`] : [];
  const stem = stemOf(word);
  if (stem.length >= compound.long) return [...formsOf(word), endOf(stem, compound.long)];
  const ends = [word, stem].filter(({ length }) => length >= compound.short).map((one) => endOf(one, compound.short));
  return [...new Set([...formsOf(word), ...beginning, ...ends])];
}

/** Asterisks keep an end apart from a beginning, and from the stemmer. */
const endOf = (word: string, length: number): string => `*${word.slice(-length)}*`;

/** Without the endings that German words most often have. */
const stemOf = (word: string): string => word.replace(/(?:e[mnrs]?|n)$/iu, "");

const compounding: ReadonlySet<string> = new Set(["de", "nl"]);
/** Of German and Dutch prose some 40 %. */
const minStopShare = 0.1;

/** By what a page is found beside its words. */
export interface FormsOnPage {
  beginningsOf(word: Word): readonly string[];
  /** Of compounds. */
  endsOf(word: Word): readonly string[];
}

/** What forms a page with these words has. */
export function formsOnPage(words: readonly Word[]): FormsOnPage {
  const isForeign = isForeignText(words);
  const mayEnd = isForeign && hasCompounds(words);
  return {
    beginningsOf: ({ folded }) => (isForeign ? formsOf(folded) : []),
    endsOf: ({ folded }) => (mayEnd ? lastPartsOf(folded) : []),
  };
}

/** Is this a page in a language that writes compounds in one, of those whose stop words are known? */
function hasCompounds(words: readonly Word[]): boolean {
  const { language = "", count = 0 } = languageOf(words.map(({ folded }) => folded)) ?? {};
  return compounding.has(language) && count >= minStopShare * words.length;
}

/** The forms of the words of a question that pages are asked for. */
export function formsInQuestion(words: readonly Word[]): (word: string) => readonly string[] {
  if (isEnglishQuestion(words)) return () => [];
  return mayHaveCompounds(words) ? formsAskedFor : formsOf;
}

/** Is this a question in such a language, or too short to tell? */
function mayHaveCompounds(words: readonly Word[]): boolean {
  const found = languageOf(words.map(({ folded }) => folded));
  return found === undefined || compounding.has(found.language);
}

/** Of a third of English words; none of them means something in German, French, Spanish, Italian, Dutch or Portuguese. */
const english = new Set(
  "the of and to is that for with on by are this from or which not have it be what how does when where who why".split(
    " ",
  ),
);

/** English prose has 25 to 40 % of them, English tables next to none, other languages less than a few borrowed titles bring. */
const maxEnglishShare = 0.08;
/** Letters with accents or of another alphabet; Dutch and Italian have the fewest, English nearly none. */
const minForeignShare = 0.005;

/** Is this a page in another language than English? Of tables without accents: no. */
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
