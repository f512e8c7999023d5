import type { FusionSettings } from "./manifest.ts";

type Group = FusionSettings[number];

/** Ranks (from 0) whose mean evidence estimates how well irrelevant pages match. */
const background = { from: 5, to: 20 };
/** Pages that compete to be the answer. */
const rivalling = 20;

/**
 * The log-odds that a page answers, by its evidence, for the pages that were found with the given evidence: logistic
 * regression (Platt, "Probabilistic Outputs for Support Vector Machines", 1999) over how strong the evidence is, how far it
 * stands out from that of the pages at ranks 6 to 20, and which share the page has of what the best twenty have together
 * (the logarithm of a softmax). Where fewer were found, `usual` stands in for the others. It rises with the evidence.
 */
export function logOddsOf(
  { odds, usual }: Pick<Group, "odds" | "usual">,
  found: Iterable<number>,
): (evidence: number) => number {
  const { offset, slope, prominence, rivals = { weight: 0, sharpness: 1 } } = odds;
  const best = [...found].toSorted((a, b) => b - a).slice(0, rivalling);
  const all = [...best, ...Array.from({ length: rivalling - best.length }, () => usual)];
  const others = all.slice(background.from, background.to);
  const common = others.reduce((sum, value) => sum + value, 0) / others.length;
  const together = sumOfPowers(all, rivals.sharpness);
  return (evidence) =>
    offset + slope * evidence + prominence * (evidence - common) + rivals.weight * (evidence - together);
}

/** ln Σ exp(sharpness · value) / sharpness: a smooth maximum. */
export function sumOfPowers(values: readonly number[], sharpness: number): number {
  const most = Math.max(...values);
  return most + Math.log(values.reduce((sum, value) => sum + Math.exp(sharpness * (value - most)), 0)) / sharpness;
}
