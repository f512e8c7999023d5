import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { type Filter, jsonOf } from "../datasets/metadata.ts";
import { SearchService } from "../gen/drs/v1/search_pb.ts";
import {
  type FoundItem,
  foundItemOf,
  type Include,
  includes,
  type ItemRow,
  itemRows,
  type PictureWidth,
} from "../items/item.ts";
import type { LinkOptions } from "../shares/share.ts";
import { valueOf } from "../wire-names.ts";

/** Words, a picture, or both. */
export type SearchQuery = string | { readonly text?: string | undefined; readonly image?: string | Blob | undefined };

export interface SearchOptions extends RequestOptions, LinkOptions {
  /** Only pages of these datasets; default: all vectorized datasets of the workspace. */
  readonly datasetIds?: readonly string[] | undefined;
  /** Only pages of datasets whose metadata passes it; default: of all. */
  readonly filter?: Filter | undefined;
  /** How many items to return, 1 to 100; default 10. */
  readonly limit?: number | undefined;
  /** Which rendition of the found pages to return; default "jpg". */
  readonly row?: ItemRow | undefined;
  /** What the items bring along beside their links, at most 8 MiB an answer, best items first. */
  readonly include?: readonly Include[] | undefined;
  /** Of the pictures of `include: ["picture"]`; default 1024. */
  readonly pictureWidth?: PictureWidth | undefined;
  /** Only items whose score is at least this, 0 to 1. */
  readonly minScore?: number | undefined;
  /** How many pages before and after each found page come with it, 0 to 5; default 0. */
  readonly neighbours?: number | undefined;
  /** Whether each item says why it has its score. */
  readonly explain?: boolean | undefined;
}

/** The pages found, the most relevant first. */
export interface Found extends ReadonlyArray<FoundItem> {
  /**
   * Datasets of which pages may be missing, the first hundred, because part of the index was lost and is being made
   * again; empty but for that.
   */
  readonly incompleteDatasetIds: readonly string[];
}

/**
 * Pages by meaning, the most relevant first. A picture is given as its http(s) address, as a data URL or as its bytes.
 */
export type Search = (query: SearchQuery, options?: SearchOptions) => Promise<Found>;

export function createSearch(connection: Connection): Search {
  const client = createClient(SearchService, connection.transport);
  return async (query, options = {}) => {
    const { datasetIds = [], filter, limit, row, expiresInSeconds, signal } = options;
    const { include = [], pictureWidth, minScore, neighbours, explain } = options;
    const { text = "", image = "" } = typeof query === "string" ? { text: query } : query;
    const request = {
      query: { text, imageUrl: typeof image === "string" ? image : await dataUrl(image) },
      datasetIds: [...datasetIds],
      ...(filter && { filter: jsonOf(filter) }),
      limit,
      row: row === undefined ? undefined : valueOf(itemRows, row),
      expiresInSeconds,
      include: include.map((word) => valueOf(includes, word)),
      pictureWidth,
      minScore,
      neighbours,
      explain,
    };
    const answer = await connection.call((call) => client.search(request, call), { signal });
    return foundOf(answer.data.map(foundItemOf), answer.incompleteDatasetIds);
  };
}

/** The ids are not enumerable, so that what lists and compares the items sees nothing else. */
function foundOf(items: FoundItem[], incompleteDatasetIds: readonly string[]): Found {
  const found = Object.assign(items, { incompleteDatasetIds });
  Object.defineProperty(found, "incompleteDatasetIds", { enumerable: false });
  return found;
}

/** Bytes per step: `fromCharCode` takes its characters as arguments, whose number is bounded. A multiple of 3. */
const stepBytes = 3 * 8192;

async function dataUrl(picture: Blob): Promise<string> {
  const bytes = new Uint8Array(await picture.arrayBuffer());
  let base64 = "";
  for (let at = 0; at < bytes.length; at += stepBytes) {
    base64 += btoa(String.fromCharCode(...bytes.subarray(at, at + stepBytes)));
  }
  return `data:${picture.type || "application/octet-stream"};base64,${base64}`;
}
