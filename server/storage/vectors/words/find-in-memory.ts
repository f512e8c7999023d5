import type { BestOf, PageHit, SearchScope } from "../../../domain/ports/vectors.ts";
import { largestAt } from "../largest-at.ts";
import { untilEnough } from "../passing.ts";
import { eachOnce, ranked } from "../ranking.ts";
import type { ScoredRows, TableWords, WeighedTerms } from "./table-words.ts";

/** The pages that fit the words best, and, where asked for, the best of some datasets. */
export async function findInMemory(
  words: TableWords,
  asked: readonly WeighedTerms[],
  scope: SearchScope,
  also?: Promise<BestOf>,
): Promise<readonly PageHit[]> {
  const first = await bestPassing(words, asked, scope);
  const best = await also;
  if (best === undefined || best.datasetIds.length === 0) return first;
  return eachOnce([...first, ...(await bestPassing(words, asked, { ...scope, ...best }))]);
}

async function bestPassing(
  words: TableWords,
  asked: readonly WeighedTerms[],
  { workspaceId, datasetIds, without = [], pass, limit }: SearchScope,
): Promise<readonly PageHit[]> {
  const wanted = datasetIds && new Set(datasetIds);
  const unwanted = new Set(without);
  const found = words.find(asked, workspaceId, (id) => wanted?.has(id) !== false && !unwanted.has(id));
  const { kept } = await untilEnough({ limit }, async (count) => {
    const hits = bestOf(found, count);
    const passed = await pass?.(new Set(hits.map(({ datasetId }) => datasetId)));
    const some = passed === undefined ? hits : hits.filter(({ datasetId }) => passed.has(datasetId));
    return { kept: some, keptCount: some.length, count: hits.length };
  });
  return ranked(kept, limit);
}

/** So many rows, or all, with those that are as good as the last of them. */
function bestOf({ scores, page }: ScoredRows, count: number): PageHit[] {
  const least = largestAt(scores, count);
  const hits: PageHit[] = [];
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at] ?? 0;
    if (score >= least) hits.push({ ...page(at), score });
  }
  return hits;
}
