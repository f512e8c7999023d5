/**
 * Why a page has its score, which is the mean of the probabilities of the parts by their weights. A part is what one kind of
 * query, words or a picture, has found.
 */
export interface Explanation {
  readonly parts: readonly ExplainedPart[];
}

/**
 * All `logOdds` are natural logarithms: `base`, `likeness`, and those of spaces and features add up to that of the part, which
 * is its probability as ln(p / (1 − p)).
 */
export interface ExplainedPart {
  /** Of this part in the score; those of all parts add up to 1. */
  readonly weight: number;
  readonly probability: number;
  readonly logOdds: number;
  /** Of a page for which there is no evidence, among what else was found. */
  readonly base: number;
  readonly spaces: readonly SpaceEvidence[];
  /** What it gains by being like the best pages, in log-odds. */
  readonly likeness: number;
  /** Of the second stage; none if it did not read the page. */
  readonly features: readonly FeatureEvidence[];
  /** The words of the question, without those that say nothing; none if the second stage did not read the page. */
  readonly words: readonly WordEvidence[];
}

export interface SpaceEvidence {
  readonly name: string;
  /** As the space gives it; undefined: it has not found the page. */
  readonly score: number | undefined;
  readonly logOdds: number;
}

export interface FeatureEvidence {
  readonly name: string;
  /** What it is a feature of: the page, its document, or the pages beside it. */
  readonly of: "page" | "document" | "neighbours";
  readonly value: number;
  readonly logOdds: number;
}

export interface WordEvidence {
  /** As the question has it first. */
  readonly word: string;
  /** How often the page has it, in any form by which it is found. */
  readonly count: number;
  /** What of the page is meant by it, where no page has it: near spellings, or the words that it is put together of. */
  readonly foundAs: readonly string[];
  /** Its part of what the space of words gives the page, by BM25 with the words' frequencies among the pages that were read. */
  readonly logOdds: number;
}
