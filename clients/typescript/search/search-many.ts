import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { DrsError, errorCodeOf } from "../errors.ts";
import { SearchService } from "../gen/drs/v1/search_pb.ts";
import type { SearchOptions, SearchQuery } from "./options.ts";
import { searchRequest } from "./request.ts";
import { type Found, foundOf } from "./search.ts";

/** One of several searches. */
export interface OneSearch extends Omit<SearchOptions, "signal"> {
  readonly query: SearchQuery;
}

/** The outcome of one of several searches. */
export type SearchOutcome =
  | { readonly found: Found; readonly error?: undefined }
  | { readonly found?: undefined; readonly error: DrsError };

/**
 * Runs up to 20 searches in one request; the outcomes are in the same order. A failed one does not affect the others.
 * They share the space for contents in a response.
 */
export type SearchMany = (
  searches: readonly OneSearch[],
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
