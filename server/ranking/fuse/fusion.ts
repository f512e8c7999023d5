import { bestFirst, type Candidates, type FoundInSpace, minCandidates } from "../retrieve/candidates.ts";
import type { Reading } from "../rerank/reading.ts";
import type { PageHit } from "../../domain/ports/vectors.ts";
import { meantIn, withDocuments } from "./document-evidence.ts";
import { gainsOfLikeness } from "./feedback.ts";
import type { FusionGroup, FusionSettings } from "../../domain/ports/pack-ranking.ts";
import { baseOf, scaleOf } from "../calibrate/odds.ts";
import { type Features, featuresOf, gainsOf } from "../rerank/gains.ts";

/**
 * One ranking out of the hits of several spaces: each page's evidence is a weighted sum of its scores, made into odds
 * of being relevant (`odds.ts`). 0.5 is as likely relevant as not.
 *
 * Scores enter as they are, not standardised per query: they then mean the same in a workspace of three pages as in one
 * of a million, and ranked better than per-query z-scores on the tuning sets.
 *
 * A query in words and a picture asks two groups of spaces; a page's score is then the weighted mean of both. Mixing
 * probabilities rather than odds lets a group that finds nothing stay out of the other's order.
 */
export function fuse(groups: FusionSettings, found: Candidates, reading?: Reading): PageHit[] {
  const { pages } = found;
  const asked = askedGroups(groups, found);
  const totalWeight = asked.reduce((sum, { weight }) => sum + weight, 0);
  const scores = new Float64Array(pages.length);
  for (const group of asked) {
    const { sum } = evidenceOf(group, found, reading);
    const [base, scale] = [baseOf(group, sum), scaleOf(group.odds)];
    const share = group.weight / totalWeight;
    for (let place = 0; place < scores.length; place++) {
      scores[place] = (scores[place] ?? 0) + share * probabilityOf(base + scale * (sum[place] ?? 0));
    }
  }
  const ranking: PageHit[] = [];
  for (const place of bestFirst(pages, scores)) {
    const page = pages[place];
    if (page === undefined) continue;
    const { datasetId, generation } = page;
    ranking.push({ datasetId, page: page.page, generation, score: scores[place] ?? 0 });
  }
  return ranking;
}

/** The groups that the query asks. */
export const askedGroups = (groups: FusionSettings, { spaces: asked }: Candidates): readonly FusionGroup[] =>
  groups.filter(({ spaces }) => Object.keys(spaces).some((name) => asked.has(name)));

export const probabilityOf = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

/** What there is to say for pages; lists are by place. */
export interface Evidence {
  /** Of all the following. */
  readonly sum: Float64Array;
  readonly spaces: readonly EvidenceOfSpace[];
  /** Undefined: likeness does not count, or no page has a vector. */
  readonly likeness: Float64Array | undefined;
  /** Undefined: nothing was read. */
  readonly features: FeatureEvidence | undefined;
}

interface EvidenceOfSpace {
  readonly name: string;
  /** Not a number where the space has not found the page. */
  readonly scores: Float64Array;
  readonly amounts: Float64Array;
}

interface FeatureEvidence extends Features {
  /** In the order of the pages that were read. */
  readonly gains: Float64Array;
}

/** The evidence for each page: its scores by the group's weights, and what it gains by likeness and by what it says. */
export function evidenceOf(group: FusionGroup, found: Candidates, reading?: Reading): Evidence {
  const sum = new Float64Array(found.pages.length);
  const spaces = amountsOfSpaces(group, found);
  for (const { amounts } of spaces) add(sum, amounts);
  const likeness = likenessOf(group, found, withDocuments(group, found, { sum, documents: meantIn(reading) }));
  if (likeness !== undefined) add(sum, likeness);
  const features = readFeatures(group, found, { evidence: sum, reading });
  features?.read.forEach((place, row) => (sum[place] = (sum[place] ?? 0) + (features.gains[row] ?? 0)));
  return { sum, spaces, likeness, features };
}

/** What the scores of the spaces count, and beside them the scores. */
export const amountsOfSpaces = ({ spaces }: FusionGroup, found: Candidates): readonly EvidenceOfSpace[] =>
  Object.entries(spaces).flatMap(([name, counted]) => {
    const space = found.spaces.get(name);
    return space === undefined ? [] : [{ name, scores: space.scores, amounts: amountsOf(space, counted) }];
  });

/** How a score enters the evidence: as it is, or the more damped the larger it is. */
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

/** What a page counts in a space that did not return it. */
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

interface Readable {
  readonly evidence: Float64Array;
  readonly reading: Reading | undefined;
}

function readFeatures(
  { ranker }: FusionGroup,
  found: Candidates,
  { evidence, reading }: Readable,
): FeatureEvidence | undefined {
  if (ranker === undefined || reading === undefined) return undefined;
  const features = featuresOf(found, evidence, reading);
  return { ...features, gains: gainsOf(ranker.weights, features.values) };
}

export function add(sum: Float64Array, amounts: Float64Array): void {
  for (let place = 0; place < sum.length; place++) sum[place] = (sum[place] ?? 0) + (amounts[place] ?? 0);
}
