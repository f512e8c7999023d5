import type { RequestOptions } from "../connection.ts";
import type { Filter } from "../datasets/metadata.ts";
import type { Include, ItemRow, PictureWidth } from "../items/item.ts";
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
