/** What pages say, by the terms in which the store keeps them. */
export interface TermsRead {
  /** Of the question, in its order. */
  readonly question: readonly string[];
  /** By `rowKey`, with spaces between them, in the order of the page. */
  readonly pages: ReadonlyMap<string, string>;
}

/** Where a page has the terms of a question; those with the same `wordRoot` are one. */
export interface TermsOnPage {
  /** How many terms the page has. */
  readonly length: number;
  /** Where terms of the question are among them, from 0 and in the order of the page. */
  readonly places: readonly number[];
  /** Which of the question's terms is at each of the places, from 0; of those that are one, the first. */
  readonly asked: readonly number[];
}

/** Where pages have the terms of a question. */
export interface FoundTerms {
  /** Of the question, in its order. */
  readonly question: readonly string[];
  /** Of each page; undefined: it has none in the space, or was not read. */
  readonly pages: readonly (TermsOnPage | undefined)[];
}

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

/** A word of a question, and how much it tells pages apart. */
export interface WeighedWord {
  /** Of all that pages are found by for it, as of `wordRoot`. */
  readonly roots: readonly string[];
  /** Inverse document frequency, natural logarithm; 0 or more. */
  readonly weight: number;
}
