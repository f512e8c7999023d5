import type { TermsOnPage } from "../terms/find-in-texts.ts";
import type { Question } from "../parse/question.ts";

/** The occurrences of a question's words on pages: page by page, and in the order of each page. */
export interface Occurrences {
  /** Number of words of each page. */
  readonly lengths: readonly number[];
  /** The index in the following lists at which each page begins, and at the end the length of those lists. */
  readonly starts: readonly number[];
  /** The position of each occurrence on its page, from 0; `words` has the word of the question for each. */
  readonly positions: readonly number[];
  readonly words: readonly number[];
}

/** Selects the terms on pages that are words of the question. */
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
  /** The inverse document frequency of each word (natural logarithm). */
  readonly idf: readonly number[];
}

/**
 * Weights each word by how well it distinguishes the pages that were read. Frequencies are those among these pages, not in the
 * whole index: a word that all these pages have does not help to choose between them.
 */
export function weigh(question: Question, { lengths, starts, words }: Occurrences): WeighedQuestion {
  const counts = question.words.map(() => 0);
  /** For each word, the number of the last page that has it, from 1. */
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

/** Returns the inverse document frequency of a word that `count` of the pages have. */
export const idfOf = (count: number, pages: number): number => Math.log1p((pages - count + 0.5) / (count + 0.5));
