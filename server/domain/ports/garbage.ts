import type { DatasetId, UploadKey } from "../ids.ts";
import type { TableOf } from "./index-tables.ts";
import type { Lease } from "./jobs.ts";

/** Data to remove: objects outside the database, or more rows than one transaction removes. */
export type Garbage =
  | RowGarbage
  /** One blob; also an upload that has not become a dataset, and a part that belongs to no session. */
  | { readonly kind: "blob"; readonly key: string }
  /** All cached renditions of a dataset. */
  | { readonly kind: "renditions"; readonly key: DatasetId }
  /** A table of the index, by its name. */
  | { readonly kind: "table"; readonly key: string }
  /**
   * The vectors of a generation of a dataset's index, in every space; without `generation`, all vectors of the
   * dataset. `table` is the table that stores them, if known.
   */
  | { readonly kind: "vectors"; readonly key: DatasetId; readonly generation?: string; readonly table?: TableOf };

/** Rows that nothing refers to any more. */
export type RowGarbage =
  /** Pages of a deleted dataset, and all other rows that belong to its pages. */
  | { readonly kind: "rows"; readonly key: DatasetId }
  /** Parts of a finished upload, with their bytes. */
  | { readonly kind: "parts"; readonly key: UploadKey };

/** Makes removals survive a crash: an entry is added to the list first, executed later, and deleted from the list last. */
export interface GarbageStore {
  /**
   * Adds entries that are not executed before `notBefore`. An upload in progress adds its blob with a time far enough
   * ahead. `lease` is the claim that is writing the blob.
   */
  add(garbage: readonly Garbage[], notBefore: number, lease?: Pick<Lease, "token">): Promise<void>;
  due(now: number, limit: number): Promise<readonly Garbage[]>;
  /**
   * Returns the entries that are still due; no other process handles them before `until`. Entries that are not done
   * by then become due again.
   */
  take(
    garbage: readonly Garbage[],
    { now, until }: { readonly now: number; readonly until: number },
  ): Promise<readonly Garbage[]>;
  /** Returns the keys of blobs to which no row refers and which are not on the list. */
  ownerless(keys: readonly string[]): Promise<readonly string[]>;
  /** Changes the time at which an entry is due, if it is still on the list. */
  postpone(garbage: Garbage, notBefore: number): Promise<void>;
  /** Deletes an entry from the list; with `notBefore`, only if it has not been added again with another time since. */
  done(garbage: Garbage, notBefore?: number): Promise<void>;
  /** Removes some of the rows, in one transaction of some milliseconds. True if none is left. */
  removeRows(garbage: RowGarbage, now: number): Promise<boolean>;
  /**
   * Makes every entry due except those that a current claim is writing. Called when the server starts on an
   * embedded store, because nothing else is running then.
   */
  expireAll(): Promise<void>;
}
