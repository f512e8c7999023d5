import { bestFirst, type Candidates, type FoundInSpace, minCandidates } from "../retrieve/candidates.ts";
import type { KnownDocuments } from "../retrieve/documents.ts";
import { targetDocuments, withDocuments } from "./documents.ts";
import { gainsOfLikeness } from "./feedback.ts";
import type { FusionGroup } from "../../domain/ports/pack-ranking.ts";

/** The combined evidence of the spaces for pages; lists are by place. */
export interface Fused {
  /** The sum of all evidence below. */
  readonly sum: Float64Array;
  readonly spaces: readonly EvidenceOfSpace[];
  /** The gain by similarity to the best pages; undefined if it does not count, or no page has a vector. */
  readonly likeness: Float64Array | undefined;
}

/**
 * Returns the evidence for each page: its scores, weighted by the group, and its gain by similarity to the best pages.
 *
 * Scores are not standardised per query, so that they mean the same in a workspace of three pages as in one of a million. They
 * also ranked better than per-query z-scores on the tuning sets.
 */
export function fuse(group: FusionGroup, found: Candidates, known: KnownDocuments = nothing): Fused {
  const sum = new Float64Array(found.pages.length);
  const spaces = amountsOfSpaces(group, found);
  for (const { amounts } of spaces) add(sum, amounts);
  const likeness = likenessOf(group, found, withDocuments(group, found, { sum, documents: targetDocuments(known) }));
  if (likeness !== undefined) add(sum, likeness);
  return { sum, spaces, likeness };
}

const nothing: KnownDocuments = { documents: new Map() };

interface EvidenceOfSpace {
  readonly name: string;
  /** NaN if the space has not found the page. */
  readonly scores: Float64Array;
  readonly amounts: Float64Array;
}

/** Returns the scores of the spaces, and the evidence that they contribute. */
export const amountsOfSpaces = ({ spaces }: FusionGroup, found: Candidates): readonly EvidenceOfSpace[] =>
  Object.entries(spaces).flatMap(([name, counted]) => {
    const space = found.spaces.get(name);
    return space === undefined ? [] : [{ name, scores: space.scores, amounts: amountsOf(space, counted) }];
  });

/** Functions that convert scores to evidence: unchanged, or damped more the larger the score is. */
const curves = {
  linear: (score: number) => score,
  sqrt: (score: number) => Math.sqrt(Math.max(0, score)),
  log: (score: number) => Math.log1p(Math.max(0, score)),
};

function amountsOf(space: FoundInSpace, { curve, weight }: FusionGroup["spaces"][string]): Float64Array {
  const bend = curves[curve];
  const ofMissing = weight * bend(missingScore(space));
  return space.scores.map((score) => (Number.isNaN(score) ? ofMissing : weight * bend(score)));
}

/** Returns the score to assume for a page in a space that did not return it. */
function missingScore({ count, scores }: FoundInSpace): number {
  let lowest = Infinity;
  for (const score of scores) if (score < lowest) lowest = score;
  return count < minCandidates ? Math.min(0, lowest) : lowest;
}

function likenessOf({ feedback }: FusionGroup, found: Candidates, evidence: Float64Array): Float64Array | undefined {
  const space = feedback && found.spaces.get(feedback.space);
  if (feedback === undefined || space === undefined) return undefined;
  const order = bestFirst(found.pages, evidence);
  return gainsOfLikeness(feedback, { evidence, order, vectorOf: (place) => space.vectorOf(place) });
}

export function add(sum: Float64Array, amounts: Float64Array): void {
  for (let place = 0; place < sum.length; place++) sum[place] = (sum[place] ?? 0) + (amounts[place] ?? 0);
}
