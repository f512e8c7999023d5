import type { DatasetId, UploadKey } from "../ids.ts";
import type { TableOf } from "./index-tables.ts";
import type { Lease } from "./jobs.ts";

/** Something that is to be removed, outside the database or of so many rows that they are removed in steps. */
export type Garbage =
  | RowGarbage
  /** One blob: also an upload that has not become a dataset, and a part that belongs to no session. */
  | { readonly kind: "blob"; readonly key: string }
  /** All cached renditions of a dataset. */
  | { readonly kind: "renditions"; readonly key: DatasetId }
  /** A table of the index, by its name. */
  | { readonly kind: "table"; readonly key: string }
  /**
   * The vectors of a generation of a dataset's index, in every space; all vectors of the dataset when undefined. `table`: where the
   * index has them, if that is known.
   */
  | { readonly kind: "vectors"; readonly key: DatasetId; readonly generation?: string; readonly table?: TableOf };

/** Rows that nothing finds any more. */
export type RowGarbage =
  /** Pages of a dataset that is gone, and all else that is kept by its pages. */
  | { readonly kind: "rows"; readonly key: DatasetId }
  /** Parts of an upload that is over, with their bytes. */
  | { readonly kind: "parts"; readonly key: UploadKey };

/** Makes removals outside the database survive a crash: added to the list first, done later, removed from the list last. */
export interface GarbageStore {
  /**
   * `notBefore`: it is not removed earlier; an upload in progress enters its blob with a time far enough ahead. `lease`: the
   * claim that is writing it.
   */
  add(garbage: readonly Garbage[], notBefore: number, lease?: Pick<Lease, "token">): Promise<void>;
  due(now: number, limit: number): Promise<readonly Garbage[]>;
  /**
   * Of the entries those that are due still: no other process handles them before `until`. What is over by then falls due
   * again.
   */
  take(
    garbage: readonly Garbage[],
    { now, until }: { readonly now: number; readonly until: number },
  ): Promise<readonly Garbage[]>;
  /** Those of the blob keys that no row refers to and that are not on the list either. */
  ownerless(keys: readonly string[]): Promise<readonly string[]>;
  /** Makes it due then, if it is still on the list. */
  postpone(garbage: Garbage, notBefore: number): Promise<void>;
  /** Removes it from the list; with `notBefore` only if it has not been added again since with another time. */
  done(garbage: Garbage, notBefore?: number): Promise<void>;
  /** Removes some of the rows, in one transaction of some milliseconds. True: none is left. */
  removeRows(garbage: RowGarbage, now: number): Promise<boolean>;
  /**
   * Makes every entry due except those that a current claim is writing: when the server starts on an embedded store,
   * nothing else is at work.
   */
  expireAll(): Promise<void>;
}
