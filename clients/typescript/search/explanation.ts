import type { Explanation as WireExplanation } from "../gen/drs/v1/explanations_pb.ts";

/** The reasons for an item's score, which is the mean of the probabilities of its parts, by their weights. */
export interface Explanation {
  /** The contribution of each kind of query: one part for words, one for a picture. */
  readonly parts: readonly ExplainedPart[];
}

/**
 * A part of an explanation. All `logOdds` are natural logarithms: `base`, `likeness`, and those of spaces and features
 * add up to that of the part, which is its probability as ln(p / (1 - p)).
 */
export interface ExplainedPart {
  /** Weight of this part in the score; the weights of all parts add up to 1. */
  readonly weight: number;
  readonly probability: number;
  readonly logOdds: number;
  /** Log-odds of a page without any evidence, among the other results. */
  readonly base: number;
  /** The contribution of each space of the model pack; a space that has not found the page has no score. */
  readonly spaces: readonly { readonly name: string; readonly score?: number; readonly logOdds: number }[];
  /** The gain from being similar to the best pages, in log-odds. */
  readonly likeness: number;
  /** The contribution of the second stage; empty if it did not read the page. */
  readonly features: readonly {
    readonly name: string;
    /** The object of the feature: "page", "document" or "neighbours". */
    readonly of: string;
    readonly value: number;
    readonly logOdds: number;
  }[];
  /** The words of the query on the page, each with its share of the contribution of the word space. */
  readonly words: readonly {
    /** The word as in the query. */
    readonly word: string;
    readonly count: number;
    readonly logOdds: number;
    /**
     * The words of the page that match instead, if no page contains the word: similar spellings, or the parts of a
     * compound word.
     */
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
