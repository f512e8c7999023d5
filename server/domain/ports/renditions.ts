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
  oldest(limit: number): Promise<readonly RenditionEntry[]>;
  /**
   * Removes the entries that have not been used since they were read, and puts their blobs on the garbage list until then,
   * from which an entry that comes again takes them; which. So no blob is left without an entry by several processes that
   * evict and make renditions, or by a crash.
   */
  evict(entries: readonly RenditionEntry[], notBefore: number): Promise<readonly RenditionEntry[]>;
  remove(keys: readonly string[]): Promise<void>;
}

export interface RenditionEntry {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly lastUsedAt: number;
}
