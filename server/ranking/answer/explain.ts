import type { Ranked } from "../rerank/reading.ts";
import { type PageKey, rowKey } from "../../domain/ports/vectors.ts";
import { baseOf, probabilityOf, scaleOf } from "../calibrate/odds.ts";
import { usedGroups } from "../calibrate/ranking.ts";
import { type TotalEvidence, totalEvidence } from "../calibrate/evidence.ts";
import {
  type FeatureName,
  featureNames,
  type FusionGroup,
  type FusionSettings,
} from "../../domain/ports/pack-ranking.ts";
import { explainWords } from "./explain-words.ts";

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

interface SpaceEvidence {
  readonly name: string;
  /** The score in the space; undefined if the space has not found the page. */
  readonly score: number | undefined;
  readonly logOdds: number;
}

interface FeatureEvidence {
  readonly name: string;
  /** The part that the feature describes: the page, its document, or the pages beside it. */
  readonly of: "page" | "document" | "neighbours";
  readonly value: number;
  readonly logOdds: number;
}

interface WordEvidence {
  /** The word as it is first written in the question. */
  readonly word: string;
  /** Number of occurrences on the page, in any form by which the word is found. */
  readonly count: number;
  /** Words of the page that match instead if no page has the word: near spellings, or the parts of a compound. */
  readonly foundAs: readonly string[];
  /**
   * The word's share of the log-odds of the full-text space, by BM25 with the words' frequencies among the pages that were read.
   */
  readonly logOdds: number;
}

/** Explains the scores that `rankCandidates` gave these pages, by `rowKey`, without pages that were not found. */
export function explain(
  groups: FusionSettings,
  ranked: Ranked,
  pages: readonly PageKey[],
): ReadonlyMap<string, Explanation> {
  const { candidates } = ranked;
  const askedBy = usedGroups(groups, candidates);
  const totalWeight = askedBy.reduce((sum, { weight }) => sum + weight, 0);
  const places = new Map(candidates.pages.map((page, place) => [rowKey(page), place]));
  const wanted = new Map(
    pages.map(rowKey).flatMap((key) => {
      const place = places.get(key);
      return place === undefined ? [] : [[key, place] as const];
    }),
  );
  const parts = askedBy.map((group) => explainGroup(group, ranked, { weight: group.weight / totalWeight, wanted }));
  return new Map(Array.from(wanted.keys(), (key) => [key, { parts: parts.flatMap((part) => part.get(key) ?? []) }]));
}

interface PagesOfGroup {
  /** The weight of the group in the score. */
  readonly weight: number;
  /** The places among the candidates of the pages to explain, by `rowKey`. */
  readonly wanted: ReadonlyMap<string, number>;
}

/** Converts evidence to log-odds: one unit of evidence is `scale` log-odds. */
function explainGroup(
  group: FusionGroup,
  { candidates, reading, words: counted }: Ranked,
  { weight, wanted }: PagesOfGroup,
): ReadonlyMap<string, ExplainedPart> {
  const evidence = totalEvidence(group, candidates, reading);
  const [base, scale] = [baseOf(group, evidence.sum), scaleOf(group.odds)];
  const words = evidence.features && counted && explainWords(counted, new Set(wanted.values()));
  return new Map(
    Array.from(wanted, ([key, place]): [string, ExplainedPart] => {
      const logOdds = base + scale * (evidence.sum[place] ?? 0);
      const spaces = evidence.spaces.map(({ name, scores, amounts }) => ({
        name,
        score: Number.isNaN(scores[place]) ? undefined : scores[place],
        logOdds: scale * (amounts[place] ?? 0),
      }));
      const byWords = spaces.find(({ name, score }) => name === group.ranker?.space && score !== undefined);
      const part = {
        weight,
        probability: probabilityOf(logOdds),
        logOdds,
        base,
        spaces,
        likeness: scale * (evidence.likeness?.[place] ?? 0),
        features: [
          ...explainNamed(candidates, evidence, { place, scale }),
          ...explainFeatures(group, evidence, { place, scale }),
        ],
        words: (words?.get(place) ?? []).map(({ share, ...word }) => ({
          ...word,
          logOdds: share * (byWords?.logOdds ?? 0),
        })),
      };
      return [key, part];
    }),
  );
}

interface ExplainedPlace {
  readonly place: number;
  readonly scale: number;
}

/** Returns the evidence for a page whose number the question names. */
function explainNamed(
  { pages, named }: Ranked["candidates"],
  evidence: TotalEvidence,
  { place, scale }: ExplainedPlace,
): readonly FeatureEvidence[] {
  const value = pages[place]?.page;
  if (value === undefined || !named.has(place)) return [];
  return [{ name: "namedPage", of: "page", value, logOdds: scale * evidence.named }];
}

/** Returns the features of a page; empty if the page was not read. */
function explainFeatures(
  { ranker }: FusionGroup,
  { features }: TotalEvidence,
  { place, scale }: ExplainedPlace,
): readonly FeatureEvidence[] {
  const row = features?.read.indexOf(place) ?? -1;
  if (features === undefined || ranker === undefined || row < 0) return [];
  return featureNames.map((name) => {
    const value = features.values[name][row] ?? 0;
    return { name, of: partOfFeature(name), value, logOdds: scale * (ranker.weights[name] ?? 0) * value };
  });
}

/** Returns the part that a feature describes: the page itself unless the feature's name says otherwise. */
function partOfFeature(name: FeatureName): FeatureEvidence["of"] {
  if (name === "neighbours") return "neighbours";
  return name.startsWith("document") ? "document" : "page";
}
