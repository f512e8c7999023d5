import type { PageHit, Pass } from "../../domain/ports/vectors.ts";

/** The hits of one round of a search. */
export interface Round<Kept> {
  /** The hits that pass, best first. */
  readonly kept: Kept;
  readonly keptCount: number;
  /** Number of all hits. */
  readonly count: number;
}

export interface Enough<Kept> {
  readonly kept: Kept;
  /** Whether the search has no more hits. */
  readonly isAll: boolean;
}

/** Factor by which the number of requested hits exceeds the estimate, so that a third round is rare. */
const reserve = 1.3;
/** Maximum growth of the number of requested hits per round. */
const maxGrowth = 40;

/**
 * Requests hits in rounds, and more than needed, until enough of them pass or there are no more. The result is the same
 * as that of a search among the passing rows only.
 */
export async function untilEnough<Kept>(
  { limit, first = limit }: { readonly limit: number; readonly first?: number },
  ask: (wanted: number) => Promise<Round<Kept>>,
): Promise<Enough<Kept>> {
  let wanted = first;
  for (;;) {
    const { kept, keptCount, count } = await ask(wanted);
    const isAll = count < wanted;
    if (isAll || keptCount >= limit) return { kept, isAll };
    const needed = (limit / Math.max(keptCount, limit / maxGrowth)) * wanted * reserve;
    wanted = Math.ceil(Math.min(Math.max(needed, 2 * wanted), maxGrowth * wanted));
  }
}

/**
 * Returns the best hits of datasets that pass, at least `limit` if there are that many. Without a filter, returns all
 * hits of the search.
 */
export async function hitsPassing<Hit extends PageHit>(
  pass: Pass | undefined,
  limit: number,
  ask: (limit: number) => Promise<readonly Hit[]>,
): Promise<readonly Hit[]> {
  if (pass === undefined) return ask(limit);
  const { kept } = await untilEnough({ limit }, async (wanted) => {
    const hits = await ask(wanted);
    const passed = await pass(new Set(hits.map(({ datasetId }) => datasetId)));
    const some = hits.filter(({ datasetId }) => passed.has(datasetId));
    return { kept: some, keptCount: some.length, count: hits.length };
  });
  return kept;
}
