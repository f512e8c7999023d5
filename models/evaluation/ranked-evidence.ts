import type { PageHit } from "../../server/domain/ports/vectors.ts";
import type { Gathered } from "../../server/ranking/rerank/reading.ts";
import { fuse } from "../../server/ranking/fuse/fusion.ts";
import type { FusionSettings } from "../../server/domain/ports/pack-ranking.ts";

type Group = FusionSettings[number];

/** The pages of a ranking with what `fuse` adds up before it makes a probability of it, best first. */
export function rankedEvidence(
  group: Group,
  { candidates, reading }: Gathered,
): { readonly pages: readonly PageHit[]; readonly values: readonly number[] } {
  // With these odds the score is the evidence's own logistic, which the logarithm takes back.
  const bare: Group = { ...group, odds: { offset: 0, slope: 0.05, prominence: 0 } };
  const pages = fuse([bare], candidates, reading);
  return { pages, values: pages.map(({ score }) => Math.log(score / (1 - score)) / 0.05) };
}
