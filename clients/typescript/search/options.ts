import type { RequestOptions } from "../connection.ts";
import type { Filter } from "../datasets/metadata.ts";
import type { Include, ItemRow, PictureWidth } from "../items/item.ts";
import type { LinkOptions } from "../shares/share.ts";

/** Words, a picture, or both. */
export type SearchQuery = string | { readonly text?: string | undefined; readonly image?: string | Blob | undefined };

export interface SearchOptions extends RequestOptions, LinkOptions {
  /** Only pages of these datasets; default: all vectorized datasets of the workspace. */
  readonly datasetIds?: readonly string[] | undefined;
  /** Only pages of datasets whose metadata passes it; default: of all. */
  readonly filter?: Filter | undefined;
  /** Only pages of datasets with one of these extensions, such as "pdf"; default: of every format. */
  readonly fileExt?: readonly string[] | undefined;
  /** How many items to return, 1 to 100; default 10. */
  readonly limit?: number | undefined;
  /** Which rendition of the found pages to return; default "jpg". */
  readonly row?: ItemRow | undefined;
  /** What the items bring along beside their links, at most 8 MiB an answer, best items first. */
  readonly include?: readonly Include[] | undefined;
  /** Of the pictures of `include: ["picture"]`, default 1024; or else of those that are drawn ahead for links of that `width`. */
  readonly pictureWidth?: PictureWidth | undefined;
  /** Only items whose score is at least this, 0 to 1. */
  readonly minScore?: number | undefined;
  /** How many pages before and after each found page come with it, 0 to 5; default 0. */
  readonly neighbours?: number | undefined;
  /** Whether each item says why it has its score. */
  readonly explain?: boolean | undefined;
}
