import { conflict, invalid, unprocessable } from "../../domain/errors.ts";
import type { BlobStore } from "../../domain/ports/blobs.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import type { PackRanking } from "../../domain/ports/pack-ranking.ts";
import { rowKey, type SpaceRef, type VectorStore } from "../../domain/ports/vectors.ts";
import { copyRows, digestRows } from "../../storage/metadata/transfer/copy.ts";
import type { Rows } from "../../storage/metadata/transfer/open-rows.ts";
import { fingerprintOf, readUnfinished, removeUnfinished, writeUnfinished } from "../../storage/unfinished.ts";
import { moveBlobs } from "./blobs.ts";
import { type MoveState, readMoveState, removeMoveState, writeMoveState } from "./state.ts";
import { moveVectors } from "./vectors.ts";

export type MoveStage = "rows" | "documents" | "index" | "comparing";

/** One side of a move. */
export interface MovedStores {
  readonly rows: Rows;
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  readonly vectors: VectorStore;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly blobUrl: string | undefined;
  readonly vectorUrl: string | undefined;
}

export interface MoveProgress {
  readonly rows: number;
  readonly blobs: number;
  readonly bytes: number;
  readonly indexRows: number;
}

export interface MoveOptions {
  readonly from: MovedStores;
  readonly to: MovedStores;
  /** Reads what the packs say of themselves. */
  readonly packs: { find(id: string): Promise<PackRanking | undefined> };
  /** Which stores are moved; the others are the same on both sides. */
  readonly which: ReadonlySet<"rows" | "documents" | "index">;
  readonly signal: AbortSignal;
  readonly onStage: (stage: MoveStage) => void;
  readonly onProgress: (progress: MoveProgress) => void;
}

/**
 * Copies everything that is stored into other stores, which are empty or partly filled by the same move. Nothing may use the
 * source meanwhile; it stays as it is. Throws `unprocessable` if the two sides do not agree in the end.
 */
export async function moveStores(options: MoveOptions): Promise<MoveProgress> {
  const { from, to, packs, which, signal, onStage, onProgress } = options;
  let state = await begin(options);
  const progress = { rows: 0, blobs: 0, bytes: 0, indexRows: 0 };
  const tell = (more: Partial<MoveProgress>): void => onProgress(Object.assign(progress, more));
  const keep = async (change: Partial<MoveState>): Promise<void> => {
    state = { ...state, ...change };
    await writeMoveState(to.dataDir, state);
  };
  if (which.has("rows")) {
    onStage("rows");
    await copyRows({
      from: from.rows.db,
      to: to.rows.db,
      upTo: state.rows,
      signal,
      async onCopied(_, rows, upTo) {
        tell({ rows: progress.rows + rows });
        await keep({ rows: mutable(upTo) });
      },
    });
  }
  if (which.has("documents")) {
    onStage("documents");
    await moveBlobs({ from: from.blobs, to: to.blobs, signal, onProgress: tell });
  }
  if (which.has("index")) {
    onStage("index");
    await moveVectors({
      metadata: from.metadata,
      packs,
      from: from.vectors,
      to: to.vectors,
      upTo: state.vectors,
      signal,
      async onMoved(space, upTo, rows) {
        tell({ indexRows: progress.indexRows + rows });
        await keep({ vectors: { ...state.vectors, [space]: upTo } });
      },
    });
    await to.vectors.maintain();
  }
  onStage("comparing");
  await compareSides(options);
  // In this order: what may be served is never taken for a move that can go on.
  await removeMoveState(to.dataDir);
  removeUnfinished(to.dataDir);
  return progress;
}

const mutable = (upTo: Readonly<Record<string, readonly (string | number)[]>>): MoveState["rows"] =>
  Object.fromEntries(Object.entries(upTo).map(([table, key]) => [table, [...key]]));

async function begin({ from, to, which }: MoveOptions): Promise<MoveState> {
  const id = `${from.dataDir} ${fingerprintOf(from)} ${fingerprintOf(to)}`;
  const unfinished = readUnfinished(to.dataDir);
  const fresh = { id, rows: {}, vectors: {} };
  if (unfinished?.id === id) {
    const begun = await readMoveState(to.dataDir);
    // Without its state the move begins anew: what is there is put once more.
    return begun?.id === id ? begun : fresh;
  }
  if (unfinished !== undefined)
    throw conflict(`drs ${unfinished.command} into ${to.dataDir} was interrupted; go on with that first`);
  await refuseFilled(to, which);
  writeUnfinished(to.dataDir, { command: "storage move", id, stores: fingerprintOf(to) });
  await writeMoveState(to.dataDir, fresh);
  return fresh;
}

async function refuseFilled({ metadata, blobs, vectors }: MovedStores, which: MoveOptions["which"]): Promise<void> {
  const refuse = (what: string): never => {
    throw invalid(`${what} to move to is not empty; name another one, or empty it`);
  };
  if (which.has("rows") && (await metadata.organisations.list()).length > 0) refuse("the database");
  if (which.has("documents")) for await (const _ of blobs.list()) refuse("the blob store");
  if (which.has("index") && (await vectors.packs()).length > 0) refuse("the vector store");
}

/** Rows by their digests, blobs by key and size, the index by its rows. */
async function compareSides({ from, to, packs, which, signal }: MoveOptions): Promise<void> {
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
  if (!which.has("index")) return;
  for (const { id } of await from.metadata.packs.list()) {
    for (const space of (await packs.find(id))?.spaces ?? []) {
      for await (const _ of missingRows(from, to, space)) differ("the indices");
    }
  }
}

/** Rows that one of the two has alone. */
async function* missingRows(from: MovedStores, to: MovedStores, space: SpaceRef): AsyncGenerator<string> {
  const there = new Set<string>();
  for await (const row of to.vectors.rowsOf(space)) there.add(rowKey(row));
  const known = new Map<string, boolean>();
  for await (const row of from.vectors.rowsOf(space)) {
    if (there.delete(rowKey(row))) continue;
    const { datasetId } = row;
    const isKnown = known.get(datasetId) ?? (await from.metadata.datasets.getUnscoped(datasetId, 0)) !== undefined;
    known.set(datasetId, isKnown);
    // What is left of a dataset that is gone is not moved.
    if (isKnown) yield rowKey(row);
  }
  yield* there;
}
