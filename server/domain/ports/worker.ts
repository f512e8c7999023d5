import type { DatasetId } from "../ids.ts";
import type { Highlight, RenditionRow, PictureWidth } from "../items/item.ts";

/** The form of a query in one space of a pack. */
export type QueryInSpace =
  /** One vector, or several where the space's scoring is `max-sim`. */
  | { readonly space: string; readonly kind: "dense"; readonly vectors: readonly Float32Array[] }
  | { readonly space: string; readonly kind: "lexical"; readonly text: string };

/** A query: words, a picture, or both. */
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
   * Renders the page and stores it in the blob store under `renditionKey`; concurrent calls for one rendition
   * render it once. Throws `unprocessable` with the reason if the page cannot be rendered, `unavailable` if no
   * worker answers.
   */
  render(page: RenditionRef, signal?: AbortSignal): Promise<void>;
  /**
   * Locates the words on a page, the most significant first. Throws `unprocessable` with the reason if the page
   * cannot be read, `unavailable` if no worker answers.
   */
  highlight(page: HighlightedPage, signal?: AbortSignal): Promise<readonly Highlight[]>;
  /**
   * Turns a query into its form for each space of the pack; if the folder of a pack is gone, only the words are
   * left.
   */
  embedQuery(query: PackQuery, signal?: AbortSignal): Promise<readonly QueryInSpace[]>;
  /**
   * Reads all files of a pack, loads it and tests it. Throws `unprocessable` with the reason if it cannot be used.
   */
  tryPack(model: string, signal?: AbortSignal): Promise<void>;
  /** Tells the worker that a job has been created or cancelled, so that it does not wait for the next poll. */
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
  /** Width of a `jpg`, pixels; undefined for 150 per inch. */
  readonly width?: PictureWidth | undefined;
}

/** A word of a query, with its weight for telling pages apart. */
export interface WeighedWord {
  /** All roots by which pages are found for it, as `wordRoot` returns them. */
  readonly roots: readonly string[];
  /** Inverse document frequency, natural logarithm; 0 or more. */
  readonly weight: number;
}
