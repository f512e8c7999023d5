import { rootOf } from "../terms/word-root.ts";

/** A word of a question, once however often it is asked for. */
export interface AskedWord {
  /** Lower case. */
  readonly stem: string;
  /** Has a digit: a number, a year, a code. */
  readonly isNumber: boolean;
}

export interface Question {
  readonly words: readonly AskedWord[];
  /** Places in `words` of neighbours in the question, first the left one. */
  readonly pairs: readonly (readonly [number, number])[];
  /** Of each term, its place in `words`; undefined: it is none of them. */
  readonly wordOf: readonly (number | undefined)[];
}

/** Terms of which more are asked for are not looked at: texts of that length are found by their many words. */
const maxWords = 64;

/**
 * Reads the terms of a question, in its order, as the vector store splits them. Words that say nothing are left out, unless the
 * question has no others: "to be or not to be" asks for them.
 */
export function readQuestion(terms: readonly string[]): Question {
  const isLeftOut = sayingNothing(terms);
  const places = new Map<string, number>();
  const words: AskedWord[] = [];
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
 * Tells which of the terms, in small letters, say nothing. Of a question of nothing but such words these are the beginnings of
 * words, by which the store looks for other forms: such words have none.
 */
function sayingNothing(terms: readonly string[]): (lower: string) => boolean {
  const isBeginning = (term: string): boolean => term.endsWith("*");
  return terms.every((term) => isBeginning(term) || isStopWord(term.toLowerCase())) ? isBeginning : isStopWord;
}

export const isStopWord = (lower: string): boolean => stopWords.has(lower);

/** Words of English questions that say nothing about what is asked for. */
const stopWords = new Set(
  (
    "a about after all also am an and any are as at be because been before but by can could did do does doing for from get " +
    "had has have having he her here him his how i if in into is it its just me my no not of off on one or our out over " +
    "she should so some such than that the their them then there these they this those to too up us use used very was we " +
    "were what when where which while who whom whose why will with would you your"
  ).split(" "),
);
