import { rootOf } from "../terms/word-root.ts";

/** A distinct word of a question, however often it occurs. */
interface QuestionWord {
  /** Lower case. */
  readonly stem: string;
  /** Whether it has a digit: a number, a year, a code. */
  readonly isNumber: boolean;
}

export interface Question {
  readonly words: readonly QuestionWord[];
  /** Pairs of neighbouring words of the question, by their places in `words`, the left one first. */
  readonly pairs: readonly (readonly [number, number])[];
  /** For each term its place in `words`; undefined if the term is not in `words`. */
  readonly wordOf: readonly (number | undefined)[];
}

/** Maximum number of words; longer texts have enough other words to be found by. */
const maxWords = 64;

/**
 * Reads the terms of a question, in its order, as the vector store splits them. Stop words are left out, unless the question has
 * no other words, such as "to be or not to be".
 */
export function readQuestion(terms: readonly string[]): Question {
  const isLeftOut = leftOutOf(terms);
  const places = new Map<string, number>();
  const words: QuestionWord[] = [];
  const pairs: (readonly [number, number])[] = [];
  let before: number | undefined;
  for (const term of terms) {
    const lower = term.toLowerCase();
    if (isLeftOut(lower)) continue;
    const root = rootOf(lower);
    let place = places.get(root);
    if (place === undefined) {
      if (words.length === maxWords) break;
      place = words.length;
      places.set(root, place);
      words.push({ stem: root, isNumber: /\p{Nd}/u.test(term) });
    }
    if (before !== undefined && before !== place) pairs.push([before, place]);
    before = place;
  }
  return { words, pairs, wordOf: terms.map((term) => places.get(rootOf(term.toLowerCase()))) };
}

/**
 * Returns a function that checks whether a term, in lower case, is left out. In a question of only stop words, only the
 * beginnings of words are left out. The store finds other forms by them, but stop words have no other forms.
 */
function leftOutOf(terms: readonly string[]): (lower: string) => boolean {
  const isBeginning = (term: string): boolean => term.endsWith("*");
  return terms.every((term) => isBeginning(term) || isStopWord(term.toLowerCase())) ? isBeginning : isStopWord;
}

export const isStopWord = (lower: string): boolean => stopWords.has(lower);

/** Words of English questions that do not describe the subject. */
const stopWords = new Set(
  (
    "a about after all also am an and any are as at be because been before but by can could did do does doing for from get " +
    "had has have having he her here him his how i if in into is it its just me my no not of off on one or our out over " +
    "she should so some such than that the their them then there these they this those to too up us use used very was we " +
    "were what when where which while who whom whose why will with would you your"
  ).split(" "),
);
