import type { DatasetId } from "../ids.ts";
import type { Highlight } from "../items/highlight.ts";
import type { RenditionRow } from "../items/item.ts";
import type { PictureWidth } from "../shares/picture-width.ts";
import type { WeighedWord } from "./weighed-word.ts";

/** What a query became in one space of a pack. */
export type QueryInSpace =
  /** One vector, or several where the space's scoring is `max-sim`. */
  | { readonly space: string; readonly kind: "dense"; readonly vectors: readonly Float32Array[] }
  | { readonly space: string; readonly kind: "lexical"; readonly text: string };

/** What is searched for: words, a picture, or both. */
export interface SearchQuery {
  readonly text?: string;
  /** An encoded picture (JPEG, PNG, WebP …). */
  readonly image?: Uint8Array;
}

export interface PackQuery extends SearchQuery {
  /** `id@version`. */
  readonly pack: string;
}

/** The worker process, which opens documents and pictures, as the API process calls it. */
export interface PageWorker {
  /**
   * Makes the rendition and stores it in the blob store under `renditionKey`; concurrent calls for one rendition make
   * it once. Throws `unprocessable` with the reason if the page cannot be rendered, `unavailable` if no worker answers.
   */
  render(page: RenditionRef, signal?: AbortSignal): Promise<void>;
  /**
   * Where a page has the words, those that say most first. Throws `unprocessable` with the reason if the page cannot be read,
   * `unavailable` if no worker answers.
   */
  highlight(page: HighlightedPage, signal?: AbortSignal): Promise<readonly Highlight[]>;
  /**
   * Turns a query into what each space of the pack searches with; of a pack whose folder is gone only the words are left.
   */
  embedQuery(query: PackQuery, signal?: AbortSignal): Promise<readonly QueryInSpace[]>;
  /** Reads the files of a pack whole, loads it and tries it. Throws `unprocessable` with the reason if it cannot be used. */
  tryPack(model: string, signal?: AbortSignal): Promise<void>;
  /** A job has been created or cancelled: look now rather than at the next poll. */
  wake(): void;
}

export interface HighlightedPage {
  readonly datasetId: DatasetId;
  readonly page: number;
  readonly words: readonly WeighedWord[];
}

export interface RenditionRef {
  readonly datasetId: DatasetId;
  readonly page: number;
  readonly row: RenditionRow;
  /** Of a `jpg`, pixels; undefined: 150 to the inch. */
  readonly width?: PictureWidth | undefined;
}
