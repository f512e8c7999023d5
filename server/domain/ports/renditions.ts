import type { DatasetId } from "../ids.ts";

/** The register of the rendition cache: its blobs, their sizes, and when each was last used. */
export interface RenditionStore {
  totalBytes(): Promise<number>;
  /**
   * Adds an entry before its blob is written, so that a crash leaves no blob without an entry. Returns false and
   * adds nothing if the dataset is gone.
   */
  put(key: string, datasetId: DatasetId, size: number, now: number): Promise<boolean>;
  touch(uses: ReadonlyMap<string, number>): Promise<void>;
  /** The least recently used entries, oldest first. */
  oldest(limit: number): Promise<readonly RenditionEntry[]>;
  /**
   * Removes the entries that have not been used since they were read, and puts their blobs on the garbage list
   * until `notBefore`; a renewed entry takes its blob off again. Returns the removed ones. So no blob is left
   * without an entry by a crash, or by several processes that evict and create renditions.
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
