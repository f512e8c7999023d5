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

/** Factor by which more hits are requested than seem necessary, so that a third round is rare. */
const reserve = 1.3;
/** Maximum growth of the number of requested hits per round. */
const maxGrowth = 40;

/**
 * Requests more hits than needed, in rounds, until enough pass or there are no more. The result is the same as that of
 * a search among the passing rows only.
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
 * The best hits of datasets that pass, at least `limit` if there are that many; all hits of the search without a
 * filter.
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
