import type { PageHit, SearchScope } from "../../domain/ports/vectors.ts";

/** The best, best first. Equal scores come in the order of dataset, page and generation, so that the same search gives the same list. */
export const ranked = (hits: readonly PageHit[], limit: number): readonly PageHit[] =>
  hits.toSorted(byRank).slice(0, limit);

function byRank(one: PageHit, other: PageHit): number {
  if (one.score !== other.score) return other.score - one.score;
  if (one.datasetId !== other.datasetId) return one.datasetId < other.datasetId ? -1 : 1;
  if (one.page !== other.page) return one.page - other.page;
  return one.generation < other.generation ? -1 : 1;
}

/** A search that can find nothing. */
export const isEmpty = ({ datasetIds, limit }: SearchScope): boolean => datasetIds?.length === 0 || limit < 1;
