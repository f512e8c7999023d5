/** A word of a question, and what pages are found by for it. */
export interface AskedWord {
  /** As the question has it first. */
  readonly written: string;
  /** Of its own forms, as of `wordRoot`. */
  readonly roots: readonly string[];
  /** The same of words that are meant by it, where no page of the workspace has it: near spellings, or the words that it is put together of. */
  readonly guesses: readonly string[];
}

/** A word of a question on a page. */
export interface WordOnPage {
  /** How often, in any form by which the page is found. */
  readonly count: number;
  /** Of the words that are meant by it, those that the page has, without their accents. */
  readonly foundAs: readonly string[];
}

/** The words of a question on pages. */
export interface WordsOnPages {
  /** In the order of the question; none that is a stop word of its language, unless there is no other. */
  readonly words: readonly AskedWord[];
  /** Of each page, how many terms it has, and the words in their order; undefined: it has none in the space, or was not read. */
  readonly pages: readonly ({ readonly length: number; readonly words: readonly WordOnPage[] } | undefined)[];
}
