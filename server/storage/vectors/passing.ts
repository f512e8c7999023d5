import type { PageHit, Pass } from "../../domain/ports/vectors.ts";

/** What a search has found. */
export interface Round<Kept> {
  /** What of it passes, best first. */
  readonly kept: Kept;
  readonly keptCount: number;
  /** Of all of it. */
  readonly count: number;
}

export interface Enough<Kept> {
  readonly kept: Kept;
  /** The search has nothing more to find. */
  readonly isAll: boolean;
}

/** How much more than it seems to take is asked for, so that asking a third time is rare. */
const reserve = 1.3;
/** How many times as many hits are asked for at most than in the round before. */
const maxGrowth = 40;

/**
 * Asks for more hits than are wanted, as often as it takes until so many pass, or there are no more. What is kept is what would
 * be found if only what passes were there.
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

/** The best hits of datasets that pass, at least `limit` if there are so many; all hits of the search without a filter. */
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
