import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { type SearchResponse, SearchService } from "../gen/drs/v1/search_pb.ts";
import { type FoundItem, foundItemOf } from "../items/item.ts";
import { type SearchOptions, type SearchQuery, searchRequest } from "./request.ts";
import { DrsError, errorCodeOf } from "../errors.ts";

/** The pages found, the most relevant first. */
export interface FoundItems extends ReadonlyArray<FoundItem> {
  /**
   * Datasets whose pages may be missing, the first hundred, because part of the index was lost and is being rebuilt;
   * otherwise empty.
   */
  readonly incompleteDatasetIds: readonly string[];
  /**
   * Number of pages at the beginning that are likely answers, with a score of `likelyScore` or higher. The others
   * hardly answer the question; 0 means that nothing stored does.
   */
  readonly likely: number;
}

/**
 * Finds pages by meaning, most relevant first. A picture is given as its http(s) address, as a data URL or as its
 * bytes.
 */
export type Search = (query: SearchQuery, options?: SearchOptions) => Promise<FoundItems>;

export function createSearch(connection: Connection): Search {
  const client = createClient(SearchService, connection.transport);
  return async (query, { signal, ...asked } = {}) => {
    const request = await searchRequest(query, asked);
    const answer = await connection.call((call) => client.search(request, call), { signal });
    return foundOf(answer);
  };
}

/** About two of ten pages with this score are answers. */
export const likelyScore = 0.2;

/** Adds two properties that are not enumerable, so that listing or comparing the items does not include them. */
function foundOf({ data, incompleteDatasetIds }: Pick<SearchResponse, "data" | "incompleteDatasetIds">): FoundItems {
  const found = data.map(foundItemOf);
  // The items are sorted by score.
  const likely = found.filter(({ score }) => score >= likelyScore).length;
  return Object.defineProperties(Object.assign(found, { incompleteDatasetIds, likely }), {
    incompleteDatasetIds: { enumerable: false },
    likely: { enumerable: false },
  });
}

/** One of several searches. */
export interface SearchManyQuery extends Omit<SearchOptions, "signal"> {
  readonly query: SearchQuery;
}

/** The outcome of one of several searches. */
export type SearchOutcome =
  | { readonly found: FoundItems; readonly error?: undefined }
  | { readonly found?: undefined; readonly error: DrsError };

/**
 * Runs up to 20 searches in one request; the outcomes are in the same order. A failed one does not affect the others.
 * They share the space for contents in a response.
 */
export type SearchMany = (
  searches: readonly SearchManyQuery[],
  options?: RequestOptions,
) => Promise<readonly SearchOutcome[]>;

export function createSearchMany(connection: Connection): SearchMany {
  const client = createClient(SearchService, connection.transport);
  return async (searches, options) => {
    const request = { searches: await Promise.all(searches.map(({ query, ...asked }) => searchRequest(query, asked))) };
    const answer = await connection.call((call) => client.searchMany(request, call), options);
    return answer.data.map(({ success, error = "", code = "", ...found }) =>
      success ? { found: foundOf(found) } : { error: new DrsError({ message: error, code: errorCodeOf(code) }) },
    );
  };
}
