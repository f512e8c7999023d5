import { createClient } from "@connectrpc/connect";
import type { Connection } from "../connection.ts";
import { type SearchResponse, SearchService } from "../gen/drs/v1/search_pb.ts";
import { type FoundItem, foundItemOf } from "../items/item.ts";
import type { SearchOptions, SearchQuery } from "./options.ts";
import { searchRequest } from "./request.ts";

/** The pages found, the most relevant first. */
export interface Found extends ReadonlyArray<FoundItem> {
  /**
   * Datasets of which pages may be missing, the first hundred, because part of the index was lost and is being made
   * again; empty but for that.
   */
  readonly incompleteDatasetIds: readonly string[];
  /**
   * How many of the first pages are likely answers: their score is `likelyScore` or higher. The others hardly answer the
   * question; 0: nothing that is stored does.
   */
  readonly likely: number;
}

/**
 * Pages by meaning, the most relevant first. A picture is given as its http(s) address, as a data URL or as its bytes.
 */
export type Search = (query: SearchQuery, options?: SearchOptions) => Promise<Found>;

export function createSearch(connection: Connection): Search {
  const client = createClient(SearchService, connection.transport);
  return async (query, { signal, ...asked } = {}) => {
    const request = await searchRequest(query, asked);
    const answer = await connection.call((call) => client.search(request, call), { signal });
    return foundOf(answer);
  };
}

/** Of ten pages with this score some two are answers. */
export const likelyScore = 0.2;

/** Neither property is enumerable, so that what lists and compares the items sees nothing else. */
export function foundOf({ data, incompleteDatasetIds }: Pick<SearchResponse, "data" | "incompleteDatasetIds">): Found {
  const found = data.map(foundItemOf);
  // Scores fall along the answer.
  const likely = found.filter(({ score }) => score >= likelyScore).length;
  return Object.defineProperties(Object.assign(found, { incompleteDatasetIds, likely }), {
    incompleteDatasetIds: { enumerable: false },
    likely: { enumerable: false },
  });
}
