import type { DatasetId } from "../ids.ts";

/** The register of the rendition cache: which blobs it holds, their sizes, and when each was last used. */
export interface RenditionStore {
  totalBytes(): Promise<number>;
  /**
   * Entered before the blob is written, so that a crash leaves no blob without an entry. False, and nothing
   * entered, if the dataset is gone.
   */
  put(key: string, datasetId: DatasetId, size: number, now: number): Promise<boolean>;
  touch(uses: ReadonlyMap<string, number>): Promise<void>;
  /** The entries used longest ago, oldest first. */
  oldest(limit: number): Promise<readonly { readonly key: string; readonly size: number }[]>;
  remove(keys: readonly string[]): Promise<void>;
}
