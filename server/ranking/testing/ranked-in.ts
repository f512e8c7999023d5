import type { PageHit } from "../../domain/ports/vectors.ts";
import { bestFirst, type Candidates } from "../retrieve/candidates.ts";

/** The hits of one space, best first. */
export function rankedIn({ pages, spaces }: Candidates, space: string): readonly PageHit[] {
  const scores = spaces.get(space)?.scores ?? new Float64Array();
  return bestFirst(pages.slice(0, scores.length), scores).flatMap((place) => {
    const [page, score] = [pages[place], scores[place]];
    return page === undefined || score === undefined ? [] : [{ ...page, score }];
  });
}
