import type { TermsOnPage } from "../../domain/ports/question-words.ts";
import type { Question } from "../parse/question.ts";

/** Where pages have words of a question: one page after the other, and of each in its order. */
export interface Occurrences {
  /** Of each page: how many words it has. */
  readonly lengths: readonly number[];
  /** Of each page: where it begins in the following lists; then their length. */
  readonly starts: readonly number[];
  /** Which word of the page, from 0, and which of the question it is. */
  readonly positions: readonly number[];
  readonly words: readonly number[];
}

/** Of the terms that pages have of a question, those that are words of it. */
export function occurrencesOn(pages: readonly TermsOnPage[], { wordOf }: Question): Occurrences {
  const [starts, positions, words]: [number[], number[], number[]] = [[], [], []];
  for (const { places, asked } of pages) {
    starts.push(words.length);
    for (const [at, term] of asked.entries()) {
      const [word, place] = [wordOf[term], places[at]];
      if (word === undefined || place === undefined) continue;
      positions.push(place);
      words.push(word);
    }
  }
  starts.push(words.length);
  return { lengths: pages.map(({ length }) => length), starts, positions, words };
}
