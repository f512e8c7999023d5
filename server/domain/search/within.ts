import type { DatasetId } from "../ids.ts";
import { type PageHit, rowKey, type VectorStore } from "../ports/vectors.ts";

type Searched = Pick<VectorStore, "searchLexical" | "searchDense">;

/** Which of the datasets pass a filter. */
export type Pass = (ids: readonly DatasetId[]) => Promise<ReadonlySet<DatasetId>>;

/** How much more than it seems to take is asked for, so that asking again is rare. */
const reserve = 1.3;
/** How many times as many hits are asked for at most than in the round before. */
const maxGrowth = 40;

/**
 * Searches that find only pages of datasets that pass. They ask for more hits than are wanted and drop the others, as often as
 * it takes: what is found is what would be found if the index knew the filter. For filters that leave too many datasets to
 * name them to the index, so that most hits that are asked for are kept.
 */
export function within<Store extends Searched>(vectors: Store, pass: Pass): Store {
  /** How many of the hits so far were kept; all rankings of a search meet the same datasets. */
  const seen = { asked: 0, kept: 0 };

  async function keep(hits: readonly PageHit[]): Promise<readonly PageHit[]> {
    const passed = await pass([...new Set(hits.map(({ datasetId }) => datasetId))]);
    return hits.filter(({ datasetId }) => passed.has(datasetId));
  }

  async function best(
    limit: number,
    ask: (limit: number) => Promise<readonly PageHit[]>,
  ): Promise<{ readonly kept: readonly PageHit[]; readonly all: readonly PageHit[] }> {
    let wanted = Math.ceil(limit / share());
    for (;;) {
      const all = await ask(wanted);
      const first = all.slice(0, wanted);
      const kept = await keep(first);
      seen.asked += first.length;
      seen.kept += kept.length;
      if (kept.length >= limit || all.length < wanted) return { kept: kept.slice(0, limit), all };
      const needed = (limit / Math.max(kept.length, limit / maxGrowth)) * wanted * reserve;
      wanted = Math.ceil(Math.min(Math.max(needed, 2 * wanted), maxGrowth * wanted));
    }
  }

  const share = (): number => (seen.kept === 0 ? 1 : Math.min(1, seen.kept / seen.asked / reserve));

  return {
    ...vectors,
    async searchLexical(space, text, scope, also) {
      const { kept, all } = await best(scope.limit, (limit) =>
        vectors.searchLexical(space, text, { ...scope, limit }, also),
      );
      // The documents were found here as well, so that they pass.
      const there = new Set(kept.map(rowKey));
      const inThem = new Set((await also)?.datasetIds);
      return [...kept, ...all.filter((hit) => inThem.has(hit.datasetId) && !there.has(rowKey(hit)))];
    },
    async searchDense(space, query, scope, also) {
      const { kept, all } = await best(scope.limit, (limit) =>
        vectors.searchDense(space, query, { ...scope, limit }, also),
      );
      // Those have been kept where they were found; their scores come behind the best.
      const there = new Set(kept.map(rowKey));
      const others = new Set((await also)?.map(rowKey));
      return [...kept, ...all.filter((hit) => others.has(rowKey(hit)) && !there.has(rowKey(hit)))];
    },
  };
}
