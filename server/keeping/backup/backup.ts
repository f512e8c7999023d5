import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { type Dataset, publicId } from "../../domain/datasets/dataset.ts";
import type { DatasetId } from "../../domain/ids.ts";
import type { PackRanking } from "../../domain/ports/pack-ranking.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import type { PackStore } from "../../domain/ports/packs.ts";
import { type LiveRows, openLiveRows } from "../../storage/metadata/live-rows.ts";
import { openMetadata } from "../../storage/metadata/open.ts";
import { openLanceVectors } from "../../storage/vectors/open.ts";
import { takeVectors } from "../../storage/vectors/take.ts";
import { namingFullDisk } from "../full-disk.ts";
import { ifThere } from "../if-there.ts";
import { type Copier, type CopyProgress, createCopier } from "./copy-files.ts";
import { copyDocuments } from "./documents.ts";
import { agree } from "./index-of-pages.ts";
import { openForWriting, type WritableRepository } from "./repository.ts";
import { datasetsOf, deleteExpired, forgetRenditions, workspacesOf } from "./rows.ts";
import { nameOfTime, type Snapshot, writeSnapshot } from "./snapshot.ts";

export type BackupStage = "rows" | "index" | "documents" | "sealing";

export interface BackupOptions {
  readonly dataDir: string;
  /** Where installed model packs are. */
  readonly modelsDir: string;
  /** Where the backups are kept. */
  readonly dir: string;
  /** Reads what the packs of the snapshot say of themselves. */
  readonly packsOf: (store: PackStore) => { find(id: string): Promise<PackRanking | undefined> };
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onStage: (stage: BackupStage) => void;
  readonly onProgress: (progress: CopyProgress) => void;
}

export interface BackupOutcome {
  readonly snapshot: Snapshot;
  readonly copied: CopyProgress;
  /** Datasets whose pages a restored server embeds again, because they changed meanwhile. */
  readonly incompleteDatasets: number;
}

/**
 * Adds a snapshot of an embedded data folder to the folder of its backups, beside a server that is at work. Rows are taken
 * first, as of one moment, then the index, then the bytes of documents; the snapshot's own rows are changed where something
 * was deleted in between. Only a sealed snapshot counts; what an interrupted backup has copied is not copied again.
 */
export function backUp(options: BackupOptions): Promise<BackupOutcome> {
  // What is taken of the index is beside it.
  return namingFullDisk([options.dir, options.dataDir], () => addSnapshot(options));
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
  onStage("index");
  const taken = await takeVectors(join(dataDir, "vectors"));
  const problems = taken.leftOut.map(
    ({ table, found }) => `the index ${table} is damaged (${found}) and left out; its pages are embedded again`,
  );
  const writer = await writeSnapshot(repository.unfinished);
  try {
    const copier = createCopier({ repository, writer, dir, signal, onProgress });
    const settled = await settleRows(options, taking, { copier, vectors: taken.root, problems });
    if (settled.replaced.length > 0 && !taking.isLast) return "replaced";
    problems.push(
      ...settled.replaced.map((id) => `dataset ${id} has got new versions all the time; none is in this snapshot`),
    );
    onStage("sealing");
    await copyFolder(copier, taken.root, "vectors", (path) => !path.startsWith(".") || path.startsWith(".tables"));
    await copyFolder(copier, modelsDir, "models", (path) => !path.startsWith(".pull-"));
    await copier.add({ from: join(dataDir, "credentials.json"), path: "credentials.json" });
    await copier.add({ from: join(repository.rows, "metadata.sqlite"), path: "metadata.sqlite" });
    const name = await freeName(repository, createdAt);
    const snapshot = await writer.finish({ name, createdAt, datasets: settled.datasets, problems });
    signal.throwIfAborted();
    await repository.seal(name);
    return { snapshot, copied: copier.progress(), incompleteDatasets: settled.incompleteDatasets };
  } finally {
    await writer.close();
    await taken.remove();
  }
}

interface Settling {
  readonly copier: Copier;
  /** The folder of the taken index. */
  readonly vectors: string;
  readonly problems: string[];
}

/** Copies the documents, and lets rows, bytes and vectors agree. */
async function settleRows(
  { dataDir, packsOf, clock, signal, onStage }: BackupOptions,
  { repository, live }: Taking,
  { copier, vectors: root, problems }: Settling,
): Promise<{ datasets: number; incompleteDatasets: number; replaced: readonly DatasetId[] }> {
  const metadata = await openMetadata({ url: undefined, dataDir: repository.rows, clock });
  const vectors = await openLanceVectors({ url: root });
  try {
    const shared = { metadata, live, workspaces: await workspacesOf(metadata), clock };
    await forgetRenditions(metadata);
    await deleteExpired(metadata, clock);
    onStage("documents");
    const gone: Dataset[] = [];
    await copyDocuments({
      ...shared,
      copier,
      dataDir,
      onProblem: (sentence) => void problems.push(sentence),
      onReplaced: (dataset) => void gone.push(dataset),
    });
    onStage("index");
    const incompleteDatasets = await agree({ ...shared, vectors, packs: packsOf(metadata.packs), signal });
    const replaced = await absentOf(metadata, gone, clock());
    let datasets = 0;
    for await (const _ of datasetsOf(metadata)) datasets += 1;
    return { datasets, incompleteDatasets, replaced };
  } finally {
    await vectors.close();
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

/** Copies the files of a folder, if it is there, in the order of their paths. */
async function copyFolder(
  copier: Copier,
  from: string,
  to: string,
  isWanted: (path: string) => boolean,
): Promise<void> {
  const entries = (await ifThere(readdir(from, { recursive: true, withFileTypes: true }))) ?? [];
  const paths = entries.flatMap((entry) =>
    entry.isFile() ? [relative(from, join(entry.parentPath, entry.name)).split(sep).join("/")] : [],
  );
  for (const path of paths.filter(isWanted).toSorted()) {
    await copier.add({ from: join(from, ...path.split("/")), path: `${to}/${path}` });
  }
}
