import type { Candidates } from "../retrieve/candidates.ts";

/**
 * By place: how likely the page before or after it, whichever is the likelier, is to answer, against the best of all; 0 to 1. An
 * answer often goes on over the end of a page.
 */
export function neighboursOf({ documents }: Candidates, evidence: Float64Array): Float64Array {
  const best = evidence.reduce((most, value) => Math.max(most, value), -Infinity);
  const likelihoods = evidence.map((value) => Math.exp(value - best));
  const neighbours = new Float64Array(evidence.length);
  for (const { places } of documents) {
    const at = (page: number): number => {
      const place = places.get(page);
      return place === undefined ? 0 : (likelihoods[place] ?? 0);
    };
    for (const [page, place] of places) neighbours[place] = Math.max(at(page - 1), at(page + 1));
  }
  return neighbours;
}
