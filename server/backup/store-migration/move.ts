import { conflict, invalid, unprocessable } from "../../domain/errors.ts";
import { rebuildAll } from "../../domain/index/served.ts";
import type { BlobStore } from "../../domain/ports/blobs.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import { copyRows, digestRows } from "../../storage/metadata/transfer/copy.ts";
import type { Rows } from "../../storage/metadata/transfer/open-rows.ts";
import { fingerprintOf, readUnfinished, removeUnfinished, writeUnfinished } from "../../storage/unfinished.ts";
import { moveBlobs } from "./blobs.ts";
import { type MoveState, readMoveState, removeMoveState, writeMoveState } from "./state.ts";

export type MoveStage = "rows" | "documents" | "comparing";

/** One side of a move. */
export interface MovedStores {
  readonly rows: Rows;
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly blobUrl: string | undefined;
  readonly vectorUrl: string | undefined;
}

export interface MoveProgress {
  readonly rows: number;
  readonly blobs: number;
  readonly bytes: number;
}

export interface MoveOptions {
  readonly from: MovedStores;
  readonly to: MovedStores;
  /**
   * The stores to move; the others are the same on both sides. An index is not copied: workers build it from the
   * features.
   */
  readonly which: ReadonlySet<"rows" | "documents" | "index">;
  readonly signal: AbortSignal;
  readonly onStage: (stage: MoveStage) => void;
  readonly onProgress: (progress: MoveProgress) => void;
}

/**
 * Copies everything that is stored into other stores, which are empty or partly filled by the same move. Nothing
 * may use the source meanwhile; it stays unchanged. Throws `unprocessable` if the two sides differ in the end.
 */
export async function moveStores(options: MoveOptions): Promise<MoveProgress> {
  const { from, to, which, signal, onStage, onProgress } = options;
  let state = await begin(options);
  const progress = { rows: 0, blobs: 0, bytes: 0 };
  const tell = (more: Partial<MoveProgress>): void => onProgress(Object.assign(progress, more));
  const save = async (change: Partial<MoveState>): Promise<void> => {
    state = { ...state, ...change };
    await writeMoveState(to.dataDir, state);
  };
  if (!state.isCompared) {
    if (which.has("rows")) {
      onStage("rows");
      await copyRows({
        from: from.rows.db,
        to: to.rows.db,
        upTo: state.rows,
        signal,
        async onCopied(_, rows, upTo) {
          tell({ rows: progress.rows + rows });
          await save({ rows: mutable(upTo) });
        },
      });
    }
    if (which.has("documents")) {
      onStage("documents");
      await moveBlobs({ from: from.blobs, to: to.blobs, signal, onProgress: tell });
    }
    onStage("comparing");
    await compareSides(options);
    await save({ isCompared: true });
  }
  // From here on the rows differ.
  if (which.has("index")) await renewIndices(to);
  // In this order, so that a finished target is never taken for a move that can be resumed.
  await removeMoveState(to.dataDir);
  removeUnfinished(to.dataDir);
  return progress;
}

const mutable = (upTo: Readonly<Record<string, readonly (string | number)[]>>): MoveState["rows"] =>
  Object.fromEntries(Object.entries(upTo).map(([table, key]) => [table, [...key]]));

async function begin({ from, to, which }: MoveOptions): Promise<MoveState> {
  const id = `${from.dataDir} ${fingerprintOf(from)} ${fingerprintOf(to)}`;
  const unfinished = readUnfinished(to.dataDir);
  const fresh = { id, rows: {}, isCompared: false };
  if (unfinished?.id === id) {
    const begun = await readMoveState(to.dataDir);
    // Without its state the move begins again and overwrites what is there.
    return begun?.id === id ? begun : fresh;
  }
  if (unfinished !== undefined)
    throw conflict(`drs ${unfinished.command} into ${to.dataDir} was interrupted; go on with that first`);
  await refuseFilled(to, which);
  writeUnfinished(to.dataDir, { command: "storage move", id, stores: fingerprintOf(to) });
  await writeMoveState(to.dataDir, fresh);
  return fresh;
}

async function refuseFilled({ metadata, blobs }: MovedStores, which: MoveOptions["which"]): Promise<void> {
  const refuse = (what: string): never => {
    throw invalid(`${what} to move to is not empty; name another one, or empty it`);
  };
  if (which.has("rows") && (await metadata.organisations.list()).length > 0) refuse("the database");
  if (which.has("documents")) for await (const _ of blobs.list()) refuse("the blob store");
}

/** Compares rows by their digests, blobs by their keys. */
async function compareSides({ from, to, which, signal }: MoveOptions): Promise<void> {
  const differ = (what: string): never => {
    throw unprocessable(
      `${what} differ between source and target: the source was used while it was moved; empty the target and begin anew`,
    );
  };
  if (which.has("rows")) {
    const expected = digestRows(from.rows.db, signal);
    for await (const { table, rows, digest } of digestRows(to.rows.db, signal)) {
      const { value } = await expected.next();
      if (value?.table !== table || value.rows !== rows || value.digest !== digest) differ(`the rows of ${table}`);
    }
  }
  if (which.has("documents")) {
    for await (const { key } of to.blobs.list()) {
      if (!key.startsWith("renditions/") && (await from.blobs.stat(key)) === undefined) differ("the documents");
    }
  }
}

/** Lets workers build the indices in a store without their rows; meanwhile searches report them as incomplete. */
async function renewIndices({ metadata }: MovedStores): Promise<void> {
  await metadata.indexTables.forgetAll();
  await rebuildAll(metadata, "missing");
}
