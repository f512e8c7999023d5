/** A word of a question, and the roots of words by which it finds pages. */
export interface ExpandedWord {
  /** The word as it is first written in the question. */
  readonly written: string;
  /** The roots of its own forms; see `wordRoot`. */
  readonly roots: readonly string[];
  /** The roots of other words if no page of the workspace has the word: near spellings, or the parts of a compound. */
  readonly guesses: readonly string[];
}

/** A word of a question on a page. */
export interface WordOnPage {
  /** Number of occurrences, in any form by which the page is found. */
  readonly count: number;
  /** The other words (`guesses`) that the page has, without accents. */
  readonly foundAs: readonly string[];
}

/** The words of a question on pages. */
export interface WordsOnPages {
  /** The words in the order of the question, without the stop words of its language unless there are no others. */
  readonly words: readonly ExpandedWord[];
  /** For each page its number of terms and its words, in order; undefined if it has no terms in the space, or was not read. */
  readonly pages: readonly ({ readonly length: number; readonly words: readonly WordOnPage[] } | undefined)[];
}
