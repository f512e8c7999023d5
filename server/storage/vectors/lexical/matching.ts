import type { FullTextQuery, Table } from "@lancedb/lancedb";
import type { BestOf, PageHit, SearchScope } from "../../../domain/ports/vectors.ts";
import { bestInOrder, type InOrder, maxInOrder } from "../../../ranking/parse/phrases.ts";
import { filtered, scopeFilter } from "../filters.ts";
import { eachOnce, hitsOf, ranked } from "../ranking.ts";
import { hitsPassing } from "../post-filter.ts";

interface Matching {
  readonly table: Table;
  readonly query: FullTextQuery;
  /** Undefined if the order of words does not matter. */
  readonly inOrder: InOrder | undefined;
}

/** Finds the pages that match the query best and, if requested, the best pages of some datasets. */
export async function findMatching(
  asked: Matching,
  scope: SearchScope,
  also: Promise<BestOf> | undefined,
): Promise<readonly PageHit[]> {
  const [found, best] = await Promise.all([findBest(asked, scope), also]);
  if (best === undefined || best.datasetIds.length === 0) return found;
  return eachOnce([...found, ...(await findBest(asked, { ...scope, ...best }))]);
}

async function findBest({ table, query, inOrder }: Matching, scope: SearchScope): Promise<readonly PageHit[]> {
  const wanted = inOrder === undefined ? scope.limit : Math.max(maxInOrder, scope.limit);
  const looked = await findPages(table, query, { ...scope, limit: wanted });
  return inOrder === undefined ? looked : bestInOrder(looked, scope.limit, inOrder);
}

/** Finds the pages of a scope that match a query best, regardless of the scope's conditions on words. */
export async function findPages(
  table: Table,
  query: FullTextQuery,
  scope: Omit<SearchScope, "words">,
): Promise<readonly PageHit[]> {
  const hits = await hitsPassing(scope.pass, scope.limit, async (limit) => {
    const rows = filtered(table.query().fullTextSearch(query), scopeFilter(scope)).select(["id", "_score"]);
    return hitsOf(await rows.limit(limit).toArrow(), "_score");
  });
  return ranked(hits, scope.limit);
}
