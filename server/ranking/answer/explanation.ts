/**
 * Explains the score of a page, which is the weighted mean of the probabilities of its parts. There is one part per kind of
 * query: words or a picture.
 */
export interface Explanation {
  readonly parts: readonly ExplainedPart[];
}

/**
 * All log-odds are natural logarithms. `base`, `likeness` and the `logOdds` of spaces and features add up to the `logOdds` of
 * the part, which is ln(p / (1 − p)) of its probability p.
 */
export interface ExplainedPart {
  /** The weight of this part in the score; the weights of all parts add up to 1. */
  readonly weight: number;
  readonly probability: number;
  readonly logOdds: number;
  /** The log-odds of a page without any evidence, given the other pages that were found. */
  readonly base: number;
  readonly spaces: readonly SpaceEvidence[];
  /** The log-odds that the page gains by its similarity to the best pages. */
  readonly likeness: number;
  /** The features of the second stage; none if it did not read the page. */
  readonly features: readonly FeatureEvidence[];
  /** The words of the question, without stop words; none if the second stage did not read the page. */
  readonly words: readonly WordEvidence[];
}

export interface SpaceEvidence {
  readonly name: string;
  /** The score in the space; undefined if it has not found the page. */
  readonly score: number | undefined;
  readonly logOdds: number;
}

export interface FeatureEvidence {
  readonly name: string;
  /** The part that the feature describes: the page, its document, or the pages beside it. */
  readonly of: "page" | "document" | "neighbours";
  readonly value: number;
  readonly logOdds: number;
}

export interface WordEvidence {
  /** The word as it is first written in the question. */
  readonly word: string;
  /** Number of occurrences on the page, in any form by which the word is found. */
  readonly count: number;
  /** Words of the page that match instead if no page has the word: near spellings, or the parts of a compound. */
  readonly foundAs: readonly string[];
  /** Its share of the log-odds of the space of words, by BM25 with the words' frequencies among the pages that were read. */
  readonly logOdds: number;
}
