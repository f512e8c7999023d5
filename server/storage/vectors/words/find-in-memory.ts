import type { WorkspaceId } from "../../../domain/ids.ts";
import {
  type BestOf,
  isOfOrder,
  type PageHit,
  type SearchScope,
  type WordConditions,
} from "../../../domain/ports/vectors.ts";
import { datasetsWithin } from "../filters.ts";
import { largestAt } from "../largest-at.ts";
import { untilEnough } from "../passing.ts";
import { bestInOrder, type InOrder, maxInOrder, nearPhrase } from "../phrases.ts";
import { eachOnce, ranked } from "../ranking.ts";
import { termsInOrder } from "../terms.ts";
import type { FoundRows } from "./found-rows.ts";
import { rowConditions } from "./row-conditions.ts";
import type { TableWords, WeighedTerms } from "./table-words.ts";

interface Asked {
  readonly query: readonly WeighedTerms[];
  readonly conditions: WordConditions;
  readonly inOrder: InOrder;
}

/** The pages that fit the words best, and, where asked for, the best of some datasets. */
export async function findInMemory(
  words: TableWords,
  { query, conditions, inOrder }: Asked,
  scope: SearchScope,
  also?: Promise<BestOf>,
): Promise<readonly PageHit[]> {
  const found = words.find(query, scope.workspaceId, rowConditions(words, conditions));
  const find = async (wanted: SearchScope): Promise<readonly PageHit[]> => {
    if (!isOfOrder(conditions)) return bestPassing(found, wanted);
    const limit = Math.max(maxInOrder, wanted.limit);
    return bestInOrder(await bestPassing(found, { ...wanted, limit }), wanted.limit, inOrder);
  };
  const first = await find(scope);
  const best = await also;
  if (best === undefined || best.datasetIds.length === 0) return first;
  return eachOnce([...first, ...(await find({ ...scope, ...best }))]);
}

/** Those of the pages that may have all phrases: the texts of others need not be read. */
export function pagesNearly(
  words: TableWords,
  phrases: readonly string[],
  pages: readonly PageHit[],
  workspaceId: WorkspaceId,
): readonly PageHit[] {
  return phrases.map(termsInOrder).reduce((some, phrase) => {
    const [found, isNear] = [words.findTerms(phrase, some, workspaceId), nearPhrase(phrase)];
    return some.filter((_, at) => found[at] !== undefined && isNear(found[at]));
  }, pages);
}

type Wanted = Omit<SearchScope, "workspaceId">;

async function bestPassing(found: FoundRows, { limit, pass, ...datasets }: Wanted): Promise<readonly PageHit[]> {
  const isMeant = datasetsWithin(datasets);
  const some = isMeant === undefined ? found : found.of(isMeant);
  const { kept } = await untilEnough({ limit }, async (count) => {
    const hits = bestOf(some, count);
    const passed = await pass?.(new Set(hits.map(({ datasetId }) => datasetId)));
    const passing = passed === undefined ? hits : hits.filter(({ datasetId }) => passed.has(datasetId));
    return { kept: passing, keptCount: passing.length, count: hits.length };
  });
  return ranked(kept, limit);
}

/** So many rows, or all, with those that are as good as the last of them. */
function bestOf(found: FoundRows, count: number): PageHit[] {
  const { scores } = found;
  const least = largestAt(scores, count);
  const hits: PageHit[] = [];
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at] ?? 0;
    if (score >= least) hits.push({ ...found.page(at), score });
  }
  return hits;
}
