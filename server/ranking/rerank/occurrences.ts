import type { TermsOnPage } from "../terms/find-in-texts.ts";
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

/** A question whose words have weights. */
export interface WeighedQuestion extends Question {
  /** Of each word: how much it tells pages apart (inverse document frequency, natural logarithm). */
  readonly idf: readonly number[];
}

/**
 * How much each word tells the pages that were read apart. It is counted among them, not in the whole index: a word that all
 * of them have is no reason to prefer one.
 */
export function weigh(question: Question, { lengths, starts, words }: Occurrences): WeighedQuestion {
  const counts = question.words.map(() => 0);
  /** By word, the number of the last page that has it, from 1. */
  const lastWith = new Uint32Array(counts.length);
  for (let page = 0; page < lengths.length; page++) {
    for (let at = starts[page] ?? 0; at < (starts[page + 1] ?? 0); at++) {
      const word = words[at] ?? 0;
      if (lastWith[word] === page + 1) continue;
      lastWith[word] = page + 1;
      counts[word] = (counts[word] ?? 0) + 1;
    }
  }
  return { ...question, idf: counts.map((count) => idfOf(count, lengths.length)) };
}

/** Of a word that so many of the pages have. */
export const idfOf = (count: number, pages: number): number => Math.log1p((pages - count + 0.5) / (count + 0.5));
