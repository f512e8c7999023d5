import type { WorkspaceId } from "../ids.ts";

/** Identifies the index of a workspace in a pack, which has one table at a time. */
export interface TableOf {
  readonly workspaceId: WorkspaceId;
  readonly pack: string;
}

/** A table of the index: all rows of a workspace in a pack. */
export interface IndexTable extends TableOf {
  /** Unique; never reused. */
  readonly name: string;
  /**
   * Identifies the boot of the machine during which the table got writes that have not been synced to disk; empty if
   * all of it is on disk.
   */
  readonly unsyncedIn: string;
  /**
   * The engine's version number, which counts up: everything up to it was written by this table or by those before
   * it.
   */
  readonly version: number;
}

export interface DueTable extends IndexTable {
  /** Incremented with each write. */
  readonly writes: number;
}

/**
 * Records which table is the index of a workspace in a pack. A table that may be damaged or out of date is discarded,
 * and another is built from the features.
 */
export interface IndexTables {
  find(of: TableOf): Promise<IndexTable | undefined>;
  /**
   * Adds the table unless its workspace and pack have one; returns the one that they have. If it is added, its name
   * comes off the garbage list in the same transaction.
   */
  add(table: IndexTable): Promise<IndexTable>;
  /**
   * Records that a write is about to begin, after which the table is due for maintenance. Undefined if there is no
   * table.
   */
  noteWrite(of: TableOf, unsyncedIn: string): Promise<IndexTable | undefined>;
  /** Records the version of the table that a write has created. */
  noteVersion(name: string, version: number): Promise<void>;
  /**
   * Discards a table that is unreliable or no longer needed, in one transaction: it is garbage from `now` on, no part
   * of features counts as being in it, and the served indices of the workspace in the pack are to be filled again, as
   * `IndexStore.rebuild` describes. False if it is no longer the table of its workspace and pack.
   */
  discard(table: TableOf & Pick<IndexTable, "name">, now: number): Promise<boolean>;
  /**
   * Forgets all tables, because the index moves to a place without any. Indices that are being built begin again;
   * their features are garbage.
   */
  forgetAll(): Promise<void>;
  /** Tables of a pack, at most `limit`. */
  ofPack(pack: string, limit: number): Promise<readonly IndexTable[]>;
  /** Tables that are due for maintenance and were not maintained since `before`, longest waiting first. */
  due(before: number, limit: number): Promise<readonly DueTable[]>;
  /**
   * Records the end of a round of maintenance. If `isDone`, and unless the table was written to since, it is no
   * longer due, and all of it is on disk.
   */
  maintained(
    table: Pick<DueTable, "name" | "writes">,
    round: { readonly at: number; readonly isDone: boolean },
  ): Promise<void>;
}
