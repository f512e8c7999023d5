import type { DatasetId } from "../ids.ts";
import type { RenditionRow } from "../items/item.ts";

/** What a query became in one space of the pack in use. */
export type QueryInSpace =
  | { readonly space: string; readonly kind: "dense"; readonly vector: Float32Array }
  | { readonly space: string; readonly kind: "lexical"; readonly text: string };

/** The process that opens documents and pictures, seen from the one that must not. */
export interface PageWorker {
  /**
   * Makes the rendition and leaves it in the blob store under `renditionKey`; concurrent calls for one rendition make
   * it once. Throws `unprocessable` with the reason if the page cannot be rendered, `unavailable` if no worker answers.
   */
  render(page: RenditionRef, signal?: AbortSignal): Promise<void>;
  /** Turns a query into what each space of the pack searches with. `image`: an encoded picture (JPEG, PNG, WebP …). */
  embedQuery(query: { text?: string; image?: Uint8Array }, signal?: AbortSignal): Promise<readonly QueryInSpace[]>;
  /** A job has been created or cancelled: look now rather than at the next poll. */
  wake(): void;
  isReady(): boolean;
}

export interface RenditionRef {
  readonly datasetId: DatasetId;
  readonly page: number;
  readonly row: RenditionRow;
}
