import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { type Dataset, publicId } from "../../domain/datasets/dataset.ts";
import type { DatasetId } from "../../domain/ids.ts";
import { rebuildAll } from "../../domain/index/served.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import { type LiveRows, openLiveRows } from "../../storage/metadata/live-rows.ts";
import { openMetadata } from "../../storage/metadata/open.ts";
import { namingFullDisk } from "../full-disk.ts";
import { ifThere } from "../if-there.ts";
import { type Copier, type CopyProgress, createCopier } from "./copy-files.ts";
import { copyDocuments, type Documents } from "./documents.ts";
import { copyFeatures } from "./features.ts";
import { openForWriting, type WritableRepository } from "./repository.ts";
import { datasetsOf, deleteExpired, forgetRenditions, workspacesOf } from "./rows.ts";
import { nameOfTime, type Snapshot, writeSnapshot } from "./snapshot.ts";

export type BackupStage = "rows" | "features" | "documents" | "sealing";

export interface BackupOptions {
  readonly dataDir: string;
  /** Where installed model packs are. */
  readonly modelsDir: string;
  /** Where the backups are kept. */
  readonly dir: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onStage: (stage: BackupStage) => void;
  readonly onProgress: (progress: CopyProgress) => void;
}

export interface BackupOutcome {
  readonly snapshot: Snapshot;
  readonly copied: CopyProgress;
  /** Datasets with pages that a restored server embeds again, because their features are not in the snapshot. */
  readonly incompleteDatasets: number;
}

/**
 * Adds a snapshot of an embedded data folder to the folder of its backups, beside a server that is at work. Rows are taken
 * first, as of one moment, then the features of pages and the bytes of documents; the snapshot's own rows are changed where
 * something was deleted in between. The index is made anew of the features. Only a sealed snapshot counts; what an interrupted backup has copied is not copied again.
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
        await repository.beginAnew();
      }
    } finally {
      await repository.close();
    }
  } finally {
    live.close();
  }
}

/** How often rows are taken anew where documents got new versions meanwhile; their bytes are copied once. */
const maxTries = 5;

interface Taking {
  readonly repository: WritableRepository;
  readonly createdAt: number;
  readonly live: LiveRows;
  /** Documents that get new versions at this moment, too, are a problem that is told. */
  readonly isLast: boolean;
}

/** "replaced": the snapshot would have neither version of a document. */
async function takeSnapshot(options: BackupOptions, taking: Taking): Promise<BackupOutcome | "replaced"> {
  const { dataDir, modelsDir, dir, signal, onStage, onProgress } = options;
  const { repository, createdAt } = taking;
  const problems: string[] = [];
  const writer = await writeSnapshot(repository.unfinished);
  try {
    const copier = createCopier({ repository, writer, dir, signal, onProgress });
    const settled = await settleRows(options, taking, { copier, problems });
    if (settled.replaced.length > 0 && !taking.isLast) return "replaced";
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

interface Settling {
  readonly copier: Copier;
  readonly problems: string[];
}

/** Copies features and documents, and lets rows and bytes agree. */
async function settleRows(
  { dataDir, clock, onStage }: BackupOptions,
  { repository, live }: Taking,
  { copier, problems }: Settling,
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
    // Searches say of all datasets that they are incomplete until the restored server has made the index.
    await rebuildAll(metadata, "missing");
    const replaced = await absentOf(metadata, gone, clock());
    let datasets = 0;
    for await (const _ of datasetsOf(metadata)) datasets += 1;
    return { datasets, incompleteDatasets, replaced };
  } finally {
    await metadata.close();
  }
}

/** Those that the snapshot does not have: of others only a new version went that was being read. */
async function absentOf({ datasets }: Metadata, gone: readonly Dataset[], now: number): Promise<readonly DatasetId[]> {
  const found = await Promise.all(gone.map((one) => datasets.getMany(one.workspaceId, [publicId(one)], now)));
  return gone.filter((_, at) => found[at]?.length === 0).map(publicId);
}

/** Two backups within a second have different names. */
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
