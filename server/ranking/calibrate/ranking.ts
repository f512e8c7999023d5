import type { FusionGroup, FusionSettings } from "../../domain/ports/pack-ranking.ts";
import type { PageHit } from "../../domain/ports/vectors.ts";
import { evidenceOf } from "../rerank/gains.ts";
import type { Reading } from "../rerank/reading.ts";
import { bestFirst, type Candidates } from "../retrieve/candidates.ts";

/**
 * Ranks pages by their evidence, converted to the odds of being relevant, best first. Scores are 0 to 1; a page with
 * 0.5 is as likely relevant as not.
 *
 * A query with words and a picture uses two groups of spaces; a page's score is then the weighted mean of both. Mixing
 * probabilities rather than odds keeps a group that finds nothing from changing the order of the other group.
 */
export function rankCandidates(groups: FusionSettings, found: Candidates, reading?: Reading): PageHit[] {
  const { pages } = found;
  const asked = usedGroups(groups, found);
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

/** The groups that the query uses. */
export const usedGroups = (groups: FusionSettings, { spaces: asked }: Candidates): readonly FusionGroup[] =>
  groups.filter(({ spaces }) => Object.keys(spaces).some((name) => asked.has(name)));

export const probabilityOf = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

/** Ranks (from 0) whose mean evidence estimates how well irrelevant pages match. */
const background = { from: 5, to: 20 };
/** Number of pages that compete to be the answer. */
const rivalling = 20;

/**
 * The log-odds that a page answers the question are `baseOf` + `scaleOf` · its evidence: logistic regression (Platt,
 * "Probabilistic Outputs for Support Vector Machines", 1999) over the strength of the evidence, its distance from that of the
 * pages at ranks 6 to 20, and the page's share of the evidence of the best twenty (the logarithm of a softmax).
 */
export const scaleOf = ({ slope, prominence, rivals }: FusionGroup["odds"]): number =>
  slope + prominence + (rivals?.weight ?? 0);

/** `found` is the evidence of all pages that were found, in any order. If they are too few, `usual` stands in for the others. */
export function baseOf({ odds, usual }: Pick<FusionGroup, "odds" | "usual">, found: ArrayLike<number>): number {
  const { offset, prominence, rivals = { weight: 0, sharpness: 1 } } = odds;
  const best = new Float64Array(found).sort().slice(-rivalling).toReversed();
  const all = [...best, ...Array.from({ length: rivalling - best.length }, () => usual)];
  const others = all.slice(background.from, background.to);
  const common = others.reduce((sum, value) => sum + value, 0) / others.length;
  return offset - prominence * common - rivals.weight * sumOfPowers(all, rivals.sharpness);
}

/** ln Σ exp(sharpness · value) / sharpness: a smooth maximum. */
export function sumOfPowers(values: readonly number[], sharpness: number): number {
  const most = Math.max(...values);
  return most + Math.log(values.reduce((sum, value) => sum + Math.exp(sharpness * (value - most)), 0)) / sharpness;
}
