import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Filter, jsonOf } from "../datasets/metadata.ts";
import type { SearchRequestSchema } from "../gen/drs/v1/search_pb.ts";
import { type Include, includes, type ItemRow, itemRows, type PictureWidth } from "../items/item.ts";
import { valueOf } from "../wire-names.ts";
import type { RequestOptions } from "../connection.ts";
import type { LinkOptions } from "../shares/share.ts";

/** A query of words, a picture, or both. */
export type SearchQuery = string | { readonly text?: string | undefined; readonly image?: string | Blob | undefined };

export interface SearchOptions extends RequestOptions, LinkOptions {
  /** Only pages of these datasets; default: all vectorized datasets of the workspace. */
  readonly datasetIds?: readonly string[] | undefined;
  /** Only pages of datasets whose metadata matches; default: all. */
  readonly filter?: Filter | undefined;
  /** Only pages of datasets with one of these extensions, such as "pdf"; default: all formats. */
  readonly fileExt?: readonly string[] | undefined;
  /** Number of items to return, 1 to 100; default 10. */
  readonly limit?: number | undefined;
  /** The rendition of the found pages; default "jpg". */
  readonly row?: ItemRow | undefined;
  /** Contents that the items include, at most 8 MiB per response, best items first. */
  readonly include?: readonly Include[] | undefined;
  /**
   * Width of the pictures of `include: ["picture"]`, default 1024; without them, the width of the pictures that are
   * rendered ahead for links with that `width`.
   */
  readonly pictureWidth?: PictureWidth | undefined;
  /** Only items with at least this score, 0 to 1. */
  readonly minScore?: number | undefined;
  /** Number of pages before and after each found page that are included, 0 to 5; default 0. */
  readonly neighbours?: number | undefined;
  /** Whether each item includes the reasons for its score. */
  readonly explain?: boolean | undefined;
}

/** Creates the message for a search. */
export async function searchRequest(
  query: SearchQuery,
  options: Omit<SearchOptions, "signal">,
): Promise<MessageInitShape<typeof SearchRequestSchema>> {
  const { datasetIds = [], fileExt = [], filter, row, include = [], ...others } = options;
  const { text = "", image = "" } = typeof query === "string" ? { text: query } : query;
  return {
    query: { text, imageUrl: typeof image === "string" ? image : await dataUrl(image) },
    datasetIds: [...datasetIds],
    fileExt: [...fileExt],
    ...(filter && { filter: jsonOf(filter) }),
    row: row === undefined ? undefined : valueOf(itemRows, row),
    include: include.map((word) => valueOf(includes, word)),
    limit: others.limit,
    expiresInSeconds: others.expiresInSeconds,
    pictureWidth: others.pictureWidth,
    minScore: others.minScore,
    neighbours: others.neighbours,
    explain: others.explain,
  };
}

/** Bytes per step: `fromCharCode` takes its characters as arguments, whose number is limited. A multiple of 3. */
const stepBytes = 3 * 8192;

async function dataUrl(picture: Blob): Promise<string> {
  const bytes = new Uint8Array(await picture.arrayBuffer());
  let base64 = "";
  for (let at = 0; at < bytes.length; at += stepBytes) {
    base64 += btoa(String.fromCharCode(...bytes.subarray(at, at + stepBytes)));
  }
  return `data:${picture.type || "application/octet-stream"};base64,${base64}`;
}
