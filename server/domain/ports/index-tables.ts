import type { WorkspaceId } from "../ids.ts";

/** The index of a workspace in a pack: it has one table at a time. */
export interface TableOf {
  readonly workspaceId: WorkspaceId;
  readonly pack: string;
}

/** A table of the index: all rows of a workspace in a pack. */
export interface IndexTable extends TableOf {
  /** No other table has, or will have, the same. */
  readonly name: string;
  /** Names the run (boot) of the machine in which it was written to and not put on disk since; empty: all of it is on disk. */
  readonly unsyncedIn: string;
  /** Of the engine's, which count up: what is there by now has been written by this one, or by those before it. */
  readonly version: number;
}

export interface DueTable extends IndexTable {
  /** Counts up with each write. */
  readonly writes: number;
}

/**
 * Which table is the index of a workspace in a pack. Whatever is in doubt is answered by discarding the table: another is made of
 * the features.
 */
export interface IndexTables {
  find(of: TableOf): Promise<IndexTable | undefined>;
  /**
   * Makes it the table of its workspace and pack unless they have one; gives the one that they have. If it is taken, its name comes
   * off the garbage list in the same transaction.
   */
  add(table: IndexTable): Promise<IndexTable>;
  /** Notes that a write is about to begin, after which the table is due for maintenance. Undefined: there is no table. */
  noteWrite(of: TableOf, unsyncedIn: string): Promise<IndexTable | undefined>;
  /** Notes which version of the table a write has made. */
  noteVersion(name: string, version: number): Promise<void>;
  /**
   * The table cannot be relied on, or is not needed any more: it is garbage from `now` on, no part of features is in it, and the
   * served indices of the workspace in the pack are to be filled again, as `IndexStore.rebuild` says it. One transaction. False: it
   * was not the table any more.
   */
  discard(table: TableOf & Pick<IndexTable, "name">, now: number): Promise<boolean>;
  /** There are no tables where the index is to be from now on. Indices that are being made begin anew; their features are garbage. */
  forgetAll(): Promise<void>;
  /** Tables of a pack, up to so many. */
  ofPack(pack: string, limit: number): Promise<readonly IndexTable[]>;
  /** Tables that are due for maintenance and were not maintained since `before`, those that waited longest first. */
  due(before: number, limit: number): Promise<readonly DueTable[]>;
  /**
   * A round of maintenance has ended. `isDone`: nothing is left to do, unless the table was written to since: then it is not due any
   * more, and all of it is on disk.
   */
  maintained(
    table: Pick<DueTable, "name" | "writes">,
    round: { readonly at: number; readonly isDone: boolean },
  ): Promise<void>;
}
