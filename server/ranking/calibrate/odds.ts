import type { FusionGroup } from "../../domain/ports/pack-ranking.ts";

export const probabilityOf = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

/** Ranks, from 0, of the pages whose mean evidence estimates how well irrelevant pages match. */
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

/**
 * Returns the base of the log-odds. `found` has the evidence of all pages found, in any order. If there are too few, `usual`
 * replaces the missing ones.
 */
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
