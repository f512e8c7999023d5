import type { Candidates } from "../retrieve/candidates.ts";
import type { Reading } from "./reading.ts";
import type { TermsOnPage } from "../terms/find-in-texts.ts";
import {
  type FeatureName,
  featureNames,
  type FeatureWeights,
  type FusionGroup,
} from "../../domain/ports/pack-ranking.ts";
import { documentFeatures } from "../fuse/documents.ts";
import { occurrencesOn, weigh } from "./occurrences.ts";
import { pageFeatures } from "./page-features.ts";
import { readQuestion } from "../parse/question.ts";
import { fuse, type Fused } from "../fuse/fusion.ts";

/** The combined evidence for pages, with the features of the pages that were read; lists are by place. */
export interface Evidence extends Fused {
  /** Undefined if no page was read. */
  readonly features: Features | undefined;
}

/** Returns the evidence for each page: the evidence of the spaces, plus the contribution of its features if it was read. */
export function evidenceOf(group: FusionGroup, found: Candidates, reading?: Reading): Evidence {
  const { sum, spaces, likeness } = fuse(group, found, reading);
  const { ranker } = group;
  const features = ranker && reading && featuresOf(found, sum, reading);
  if (ranker !== undefined && features !== undefined) {
    const gains = contributionsOf(ranker.weights, features.values);
    for (const [row, place] of features.read.entries()) sum[place] = (sum[place] ?? 0) + (gains[row] ?? 0);
  }
  return { sum, spaces, likeness, features };
}

/** A value for each page, by feature. */
type FeatureValues = Readonly<Record<FeatureName, Float64Array>>;

interface Features {
  /** The places of the pages whose terms were read. */
  readonly read: readonly number[];
  /** The values in the order of `read`. */
  readonly values: FeatureValues;
}

/** Returns the contributions of the features to the evidence of each page, in the order of the pages. */
export function contributionsOf(weights: FeatureWeights, values: FeatureValues): Float64Array {
  const gains = new Float64Array(values.length.length);
  for (const name of featureNames) {
    const [weight = 0, column] = [weights[name], values[name]];
    for (let row = 0; row < gains.length; row++) gains[row] = (gains[row] ?? 0) + weight * (column[row] ?? 0);
  }
  return gains;
}

/** Computes the features of the pages that were read. `evidence` is the first stage's evidence for the candidates, by place. */
export function featuresOf(candidates: Candidates, evidence: Float64Array, reading: Reading): Features {
  const read: number[] = [];
  const pages: TermsOnPage[] = [];
  for (const [place, page] of reading.pages.entries()) {
    if (page === undefined) continue;
    read.push(place);
    pages.push(page);
  }
  const question = readQuestion(reading.question);
  const occurrences = occurrencesOn(pages, question);
  const { documentName, documentOpening, documentWhole } = documentFeatures(candidates, reading.documents);
  return {
    read,
    values: {
      ...pageFeatures(occurrences, weigh(question, occurrences)),
      documentName: valuesAt(read, documentName),
      documentOpening: valuesAt(read, documentOpening),
      documentWhole: valuesAt(read, documentWhole),
      neighbours: valuesAt(read, neighboursOf(candidates, evidence)),
    },
  };
}

function valuesAt(places: readonly number[], values: Float64Array): Float64Array {
  const chosen = new Float64Array(places.length);
  for (let row = 0; row < places.length; row++) chosen[row] = values[places[row] ?? 0] ?? 0;
  return chosen;
}

/**
 * Returns, by place, how likely the previous or next page (the likelier of the two) answers the question, relative to the best
 * page, from 0 to 1. It counts because an answer often continues on the next page.
 */
function neighboursOf({ documents }: Candidates, evidence: Float64Array): Float64Array {
  const best = evidence.reduce((most, value) => Math.max(most, value), -Infinity);
  const likelihoods = evidence.map((value) => Math.exp(value - best));
  const neighbours = new Float64Array(evidence.length);
  for (const { places } of documents) {
    const at = (page: number): number => {
      const place = places.get(page);
      return place === undefined ? 0 : (likelihoods[place] ?? 0);
    };
    for (const [page, place] of places) neighbours[place] = Math.max(at(page - 1), at(page + 1));
  }
  return neighbours;
}
