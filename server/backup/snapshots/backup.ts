import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { type Dataset, publicId } from "../../domain/datasets/dataset.ts";
import type { DatasetId } from "../../domain/ids.ts";
import { rebuildAll } from "../../domain/index/served.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import { type LiveRows, openLiveRows } from "../../storage/metadata/live-rows.ts";
import { openMetadata } from "../../storage/metadata/open.ts";
import { namingFullDisk } from "../files.ts";
import { ifThere } from "../../storage/error-codes.ts";
import { type Copier, type CopyProgress, createCopier } from "./copy-files.ts";
import { copyDocuments, copyFeatures, type Documents } from "./documents.ts";
import { openForWriting, type WritableRepository } from "./repository.ts";
import { datasetsOf, deleteExpired, forgetRenditions, workspacesOf } from "./rows.ts";
import { nameOfTime, type Snapshot, writeSnapshot } from "./snapshot.ts";

export type BackupStage = "rows" | "features" | "documents" | "sealing";

export interface BackupOptions {
  readonly dataDir: string;
  /** Folder of installed model packs. */
  readonly modelsDir: string;
  /** Folder of the backups. */
  readonly dir: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onStage: (stage: BackupStage) => void;
  readonly onProgress: (progress: CopyProgress) => void;
}

export interface BackupOutcome {
  readonly snapshot: Snapshot;
  readonly copied: CopyProgress;
  /** Datasets with pages that a restored server has to embed again because the snapshot lacks their features. */
  readonly incompleteDatasets: number;
}

/**
 * Adds a snapshot of an embedded data folder to its backups. A server may run at the same time. One consistent copy of
 * the rows is made first; then the features of pages and the bytes of documents are copied, and rows of anything
 * deleted in between are removed from the copy. The index is not copied, because it is rebuilt from the features. Only
 * a sealed snapshot counts; files that an interrupted backup has copied are not copied again.
 */
export function backUp(options: BackupOptions): Promise<BackupOutcome> {
  return namingFullDisk([options.dir], () => addSnapshot(options));
}

async function addSnapshot(options: BackupOptions): Promise<BackupOutcome> {
  const { dataDir, dir, clock, onStage } = options;
  const live = openLiveRows(join(dataDir, "metadata.sqlite"));
  try {
    const repository = await openForWriting(dir, { create: true });
    try {
      for (let triesLeft = maxTries - 1; ; triesLeft -= 1) {
        onStage("rows");
        const createdAt = clock();
        await live.copyTo(join(repository.rows, "metadata.sqlite"));
        const outcome = await takeSnapshot(options, { repository, createdAt, live, isLast: triesLeft === 0 });
        if (outcome !== "replaced") return outcome;
        await repository.startOver();
      }
    } finally {
      await repository.close();
    }
  } finally {
    live.close();
  }
}

/**
 * Maximum number of attempts. The rows are copied again if documents got new versions during an attempt; the bytes of a
 * document are copied once.
 */
const maxTries = 5;

interface SnapshotAttempt {
  readonly repository: WritableRepository;
  readonly createdAt: number;
  readonly live: LiveRows;
  /** Whether documents that get new versions during this attempt are reported as a problem. */
  readonly isLast: boolean;
}

/** "replaced" means that the snapshot would have neither version of a document. */
async function takeSnapshot(options: BackupOptions, attempt: SnapshotAttempt): Promise<BackupOutcome | "replaced"> {
  const { dataDir, modelsDir, dir, signal, onStage, onProgress } = options;
  const { repository, createdAt } = attempt;
  const problems: string[] = [];
  const writer = await writeSnapshot(repository.unfinished);
  try {
    const copier = createCopier({ repository, writer, dir, signal, onProgress });
    const settled = await settleRows(options, attempt, { copier, problems });
    if (settled.replaced.length > 0 && !attempt.isLast) return "replaced";
    problems.push(
      ...settled.replaced.map((id) => `dataset ${id} has got new versions all the time; none is in this snapshot`),
    );
    onStage("sealing");
    await copyModels(copier, modelsDir);
    await copier.add({ from: join(dataDir, "credentials.json"), path: "credentials.json" });
    await copier.add({ from: join(repository.rows, "metadata.sqlite"), path: "metadata.sqlite" });
    const name = await freeName(repository, createdAt);
    const snapshot = await writer.finish({ name, createdAt, datasets: settled.datasets, problems });
    signal.throwIfAborted();
    await repository.seal(name);
    return { snapshot, copied: copier.progress(), incompleteDatasets: settled.incompleteDatasets };
  } finally {
    await writer.close();
  }
}

interface SettleOptions {
  readonly copier: Copier;
  readonly problems: string[];
}

/** Copies features and documents, and makes rows and bytes agree. */
async function settleRows(
  { dataDir, clock, onStage }: BackupOptions,
  { repository, live }: SnapshotAttempt,
  { copier, problems }: SettleOptions,
): Promise<{ datasets: number; incompleteDatasets: number; replaced: readonly DatasetId[] }> {
  const metadata = await openMetadata({ url: undefined, dataDir: repository.rows, clock });
  try {
    await forgetRenditions(metadata);
    await deleteExpired(metadata, clock);
    const gone: Dataset[] = [];
    const documents: Documents = {
      metadata,
      live,
      workspaces: await workspacesOf(metadata),
      clock,
      copier,
      dataDir,
      onProblem: (sentence) => void problems.push(sentence),
      onReplaced: (dataset) => void gone.push(dataset),
    };
    onStage("features");
    const incompleteDatasets = await copyFeatures(documents);
    onStage("documents");
    await copyDocuments(documents);
    // Searches report all datasets as incomplete until the restored server has built the index.
    await rebuildAll(metadata, "missing");
    const replaced = await absentOf(metadata, gone, clock());
    let datasets = 0;
    for await (const _ of datasetsOf(metadata)) datasets += 1;
    return { datasets, incompleteDatasets, replaced };
  } finally {
    await metadata.close();
  }
}

/**
 * Returns the replaced datasets that the snapshot lacks. The others lost only a new version that was still being read.
 */
async function absentOf({ datasets }: Metadata, gone: readonly Dataset[], now: number): Promise<readonly DatasetId[]> {
  const found = await Promise.all(gone.map((one) => datasets.getMany(one.workspaceId, [publicId(one)], now)));
  return gone.filter((_, at) => found[at]?.length === 0).map(publicId);
}

/** Returns a name from the time, with a number if another backup was made within the same second. */
async function freeName(repository: WritableRepository, createdAt: number): Promise<string> {
  const names = new Set((await repository.snapshots()).map(({ name }) => name));
  const name = nameOfTime(createdAt);
  for (let count = 1; ; count++) {
    const candidate = count === 1 ? name : `${name}.${count}`;
    if (!names.has(candidate)) return candidate;
  }
}

/** Copies the installed model packs, if there are any, in the order of their paths. */
async function copyModels(copier: Copier, from: string): Promise<void> {
  const entries = (await ifThere(readdir(from, { recursive: true, withFileTypes: true }))) ?? [];
  const paths = entries.flatMap((entry) =>
    entry.isFile() ? [relative(from, join(entry.parentPath, entry.name)).split(sep).join("/")] : [],
  );
  for (const path of paths.filter((path) => !path.startsWith(".pull-")).toSorted()) {
    await copier.add({ from: join(from, ...path.split("/")), path: `models/${path}` });
  }
}
