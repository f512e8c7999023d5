import type { PageHit } from "../../server/domain/ports/vectors.ts";
import type { Gathered } from "../../server/ranking/rerank/reading.ts";
import { rankCandidates } from "../../server/ranking/calibrate/ranking.ts";
import type { FusionSettings } from "../../server/domain/ports/pack-ranking.ts";

type Group = FusionSettings[number];

/** Returns the pages of a ranking, best first, with the evidence that `rankCandidates` turns into a probability. */
export function rankedEvidence(
  group: Group,
  { candidates, reading }: Gathered,
): { readonly pages: readonly PageHit[]; readonly values: readonly number[] } {
  // With these odds the score is the evidence's own logistic, which the logarithm takes back.
  const bare: Group = { ...group, odds: { offset: 0, slope: 0.05, prominence: 0 } };
  const pages = rankCandidates([bare], candidates, reading);
  return { pages, values: pages.map(({ score }) => Math.log(score / (1 - score)) / 0.05) };
}
