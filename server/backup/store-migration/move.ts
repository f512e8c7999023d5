import { createHash } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { conflict, invalid, unprocessable } from "../../domain/errors.ts";
import { rebuildAll } from "../../domain/index/served.ts";
import type { BlobStore } from "../../domain/ports/blobs.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import { copyRows, digestRows } from "../../storage/metadata/transfer/copy.ts";
import type { Rows } from "../../storage/metadata/open-rows.ts";
import { fileMode } from "../../storage/private-folder.ts";
import { fingerprintOf, readUnfinished, removeUnfinished, writeUnfinished } from "../../storage/unfinished.ts";
import { ifThere } from "../../storage/error-codes.ts";
import { mapConcurrent } from "../map-concurrent.ts";

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
 * Copies the contents of stores into other stores, which must be empty or partly filled by the same move. Nothing may
 * use the source during the move, which leaves it unchanged. Throws `unprocessable` if the two sides differ at the end.
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
  // From here on, the rows of the two sides differ.
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
    // Without its saved state, the move starts again and overwrites the target's stores.
    return begun?.id === id ? begun : fresh;
  }
  if (unfinished !== undefined)
    throw conflict(`drs ${unfinished.command} into ${to.dataDir} was interrupted; finish that first`);
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
      `${what} differ between source and target: the source was used while it was moved; empty the target and start again`,
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

/**
 * Marks all indices for a rebuild, because the new index store is empty. Until workers have built them, searches report
 * them as incomplete.
 */
async function renewIndices({ metadata }: MovedStores): Promise<void> {
  await metadata.indexTables.forgetAll();
  await rebuildAll(metadata, "missing");
}

const schema = z.object({
  /** Identifies this move. */
  id: z.string(),
  /** Key of the last row of each table that has been copied to the target. */
  rows: z.record(z.string(), z.array(z.union([z.string(), z.number()]))),
  /** Whether everything is in the target and both sides were found to be equal. */
  isCompared: z.boolean(),
});

/** The progress of a move: `move.json` in the target's data folder. */
type MoveState = z.infer<typeof schema>;

const pathIn = (dataDir: string): string => join(dataDir, "move.json");

/** Undefined if no move has begun. */
async function readMoveState(dataDir: string): Promise<MoveState | undefined> {
  const text = await ifThere(readFile(pathIn(dataDir), "utf8"));
  if (text === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw unprocessable(`${pathIn(dataDir)} cannot be read; empty the target and remove the file to start again`);
  }
}

async function writeMoveState(dataDir: string, state: MoveState): Promise<void> {
  const temporary = `${pathIn(dataDir)}.${process.pid}`;
  await writeFile(temporary, JSON.stringify(state), { mode: fileMode, flush: true });
  await rename(temporary, pathIn(dataDir));
}

const removeMoveState = (dataDir: string): Promise<void> => rm(pathIn(dataDir), { force: true });

const lanes = 4;

interface MovedBlobs {
  readonly blobs: number;
  readonly bytes: number;
}

interface BlobMove {
  readonly from: BlobStore;
  readonly to: BlobStore;
  readonly signal: AbortSignal;
  readonly onProgress: (moved: MovedBlobs) => void;
}

/**
 * Copies all blobs except cached renditions. Each written blob is read again and compared with the SHA-256 of the
 * bytes that were sent; blobs that an earlier call has copied are not sent again.
 */
async function moveBlobs({ from, to, signal, onProgress }: BlobMove): Promise<MovedBlobs> {
  let [blobs, bytes] = [0, 0];
  await mapConcurrent(from.list(), lanes, async ({ key, size }) => {
    signal.throwIfAborted();
    if (key.startsWith("renditions/")) return;
    if ((await to.stat(key))?.size !== size) await moveBlob({ from, to, signal }, key);
    blobs += 1;
    bytes += size;
    onProgress({ blobs, bytes });
  });
  return { blobs, bytes };
}

async function moveBlob({ from, to, signal }: Omit<BlobMove, "onProgress">, key: string): Promise<void> {
  const source = await from.get(key);
  if (source === undefined) throw unprocessable(`${key} has gone; nothing may use the source while it is moved`);
  const sent = await to.put(key, source.body, signal);
  const stored = await to.get(key);
  const hash = createHash("sha256");
  for await (const piece of stored?.body ?? []) hash.update(piece);
  if (hash.digest("hex") === sent.sha256) return;
  await to.remove(key);
  throw unprocessable(`${key} was stored with other bytes than those that were sent; run the same command again`);
}
