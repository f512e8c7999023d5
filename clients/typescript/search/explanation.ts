import type { Explanation as WireExplanation } from "../gen/drs/v1/explanations_pb.ts";

/** Why an item has its score: the mean of the probabilities of its parts by their weights. */
export interface Explanation {
  /** What each kind of query has found: one part for words, one for a picture. */
  readonly parts: readonly ExplainedPart[];
}

/**
 * All `logOdds` are natural logarithms: `base`, `likeness`, and those of spaces and features add up to that of the part, which
 * is its probability as ln(p / (1 - p)).
 */
export interface ExplainedPart {
  /** Of this part in the score; those of all parts add up to 1. */
  readonly weight: number;
  readonly probability: number;
  readonly logOdds: number;
  /** Of a page for which there is no evidence, among what else was found. */
  readonly base: number;
  /** What each space of the model pack has added; a space that has not found the page gives no score. */
  readonly spaces: readonly { readonly name: string; readonly score?: number; readonly logOdds: number }[];
  /** What the page gains by being like the best pages, in log-odds. */
  readonly likeness: number;
  /** What the second stage has added; empty if it did not read the page. */
  readonly features: readonly {
    readonly name: string;
    /** What it is a feature of: "page", "document" or "neighbours". */
    readonly of: string;
    readonly value: number;
    readonly logOdds: number;
  }[];
  /** The words of the question on the page, each with its part of what the space of words adds. */
  readonly words: readonly {
    /** As the question has it. */
    readonly word: string;
    readonly count: number;
    readonly logOdds: number;
    /** What the page has instead, where no page has the word: near spellings, or the words that it is put together of. */
    readonly foundAs: readonly string[];
  }[];
}

export function explanationOf({ parts }: WireExplanation): Explanation {
  return {
    parts: parts.map(({ weight, probability, logOdds, base, spaces, likeness, features, words }) => ({
      weight,
      probability,
      logOdds,
      base,
      spaces: spaces.map(({ name, score, logOdds: added }) => ({
        name,
        ...(score !== undefined && { score }),
        logOdds: added,
      })),
      likeness,
      features: features.map(({ name, of, value, logOdds: added }) => ({ name, of, value, logOdds: added })),
      words: words.map(({ word, count, logOdds: added, foundAs }) => ({ word, count, logOdds: added, foundAs })),
    })),
  };
}
