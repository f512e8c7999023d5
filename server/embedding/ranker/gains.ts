import { documentKey, type Reading } from "../../domain/ports/pack-ranking.ts";
import { type PageKey, rowKey } from "../../domain/ports/vectors.ts";
import { documentFeatures } from "./document-features.ts";
import { pageFeatures, type WeighedQuestion } from "./page-features.ts";
import { neighboursOf } from "./neighbours.ts";
import { createFinder } from "./occurrences.ts";
import { type Question, readQuestion } from "./question.ts";

export const featureNames = [
  "pairs",
  "window",
  "heading",
  "numbers",
  "length",
  "documentName",
  "documentOpening",
  "documentWhole",
  "neighbours",
] as const;
export type FeatureName = (typeof featureNames)[number];
/** A feature that is not named counts nothing. */
export type Weights = Readonly<Partial<Record<FeatureName, number>>>;
export type Features = Readonly<Record<FeatureName, number>>;

/** A page with the evidence that the first stage has for it. */
export interface Candidate {
  readonly key: PageKey;
  readonly evidence: number;
}

/** What a page with these features gains. */
export const gainOf = (weights: Weights, features: Features): number =>
  featureNames.reduce((sum, name) => sum + (weights[name] ?? 0) * features[name], 0);

/** The features of the pages whose terms were read, by `rowKey`. */
export function featuresOf(pages: readonly Candidate[], reading: Reading): ReadonlyMap<string, Features> {
  const question = readQuestion(reading.question);
  const find = createFinder(question);
  const neighbours = neighboursOf(
    pages.map(({ key, evidence }) => ({ document: documentKey(key), page: key.page, evidence })),
  );
  const read = pages.flatMap(({ key }, place) => {
    const terms = reading.pages.get(rowKey(key));
    return terms === undefined ? [] : [{ key, neighbours: neighbours[place] ?? 0, occurrences: find(terms) }];
  });
  const weighed = weigh(
    question,
    read.map(({ occurrences }) => occurrences.words),
  );
  return new Map(
    read.map(({ key, occurrences, neighbours: ofPage }) => [
      rowKey(key),
      {
        ...pageFeatures(occurrences, weighed),
        ...documentFeatures(reading.documents.get(documentKey(key)) ?? nothing),
        neighbours: ofPage,
      },
    ]),
  );
}

const nothing = { name: 0, opening: 0, whole: 0 };

/**
 * How much each word tells the pages that were read apart. It is counted among them, not in the whole index: a word that all
 * of them have is no reason to prefer one.
 */
export function weigh(question: Question, pages: readonly (readonly number[])[]): WeighedQuestion {
  const counts = question.words.map(() => 0);
  /** By word, the number of the last page that has it, from 1. */
  const lastWith = new Uint32Array(counts.length);
  for (const [page, words] of pages.entries()) {
    for (const place of words) {
      if (lastWith[place] === page + 1) continue;
      lastWith[place] = page + 1;
      counts[place] = (counts[place] ?? 0) + 1;
    }
  }
  return { ...question, idf: counts.map((count) => Math.log1p((pages.length - count + 0.5) / (count + 0.5))) };
}
