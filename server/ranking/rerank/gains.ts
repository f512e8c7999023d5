import type { Candidates } from "../retrieve/candidates.ts";
import type { Reading } from "./reading.ts";
import type { TermsOnPage } from "../../domain/ports/question-words.ts";
import { type FeatureName, featureNames, type FeatureWeights } from "../../domain/ports/pack-ranking.ts";
import { documentFeatures } from "./document-features.ts";
import { neighboursOf } from "./neighbours.ts";
import { occurrencesOn } from "./occurrences.ts";
import { pageFeatures } from "./page-features.ts";
import { readQuestion } from "../parse/question.ts";
import { weigh } from "./weigh.ts";

/** By feature, a value for each page. */
export type FeatureValues = Readonly<Record<FeatureName, Float64Array>>;

export interface Features {
  /** The places of the pages whose terms were read. */
  readonly read: readonly number[];
  /** In their order. */
  readonly values: FeatureValues;
}

/** What pages with these features gain, in their order. */
export function gainsOf(weights: FeatureWeights, values: FeatureValues): Float64Array {
  const gains = new Float64Array(values.length.length);
  for (const name of featureNames) {
    const [weight = 0, column] = [weights[name], values[name]];
    for (let row = 0; row < gains.length; row++) gains[row] = (gains[row] ?? 0) + weight * (column[row] ?? 0);
  }
  return gains;
}

/** `evidence`: what the first stage has for the candidates, by place. */
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
