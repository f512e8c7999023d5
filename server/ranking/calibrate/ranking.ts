import type { FusionGroup, FusionSettings } from "../../domain/ports/pack-ranking.ts";
import type { PageHit } from "../../domain/ports/vectors.ts";
import { totalEvidence } from "./evidence.ts";
import { baseOf, probabilityOf, scaleOf } from "./odds.ts";
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
    const { sum } = totalEvidence(group, found, reading);
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

/** Returns the groups that the query uses. */
export const usedGroups = (groups: FusionSettings, { spaces: asked }: Candidates): readonly FusionGroup[] =>
  groups.filter(({ spaces }) => Object.keys(spaces).some((name) => asked.has(name)));
