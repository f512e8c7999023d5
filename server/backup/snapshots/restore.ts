import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { conflict, invalid, unprocessable } from "../../domain/errors.ts";
import { storageFaultOf } from "../../domain/storage-fault.ts";
import { syncFolder, writeFileDurably } from "../../storage/blobs/write.ts";
import { MissingSource, readSources } from "../../storage/blobs/sources.ts";
import { tryLockDataDir } from "../../storage/lock.ts";
import { folderMode } from "../../storage/private-folder.ts";
import { fingerprintOf, readUnfinished, removeUnfinished, writeUnfinished } from "../../storage/unfinished.ts";
import { fullDisk, namingFullDisk, sha256OfFile } from "../files.ts";
import { ifThere } from "../../storage/error-codes.ts";
import { mapConcurrent } from "../map-concurrent.ts";
import type { CopyProgress } from "./copy-files.ts";
import { openRepository, type Repository } from "./repository.ts";
import type { Snapshot, SnapshotFile } from "./snapshot.ts";

interface RestoreOptions {
  /** Folder of the backups. */
  readonly dir: string;
  /** Undefined for the newest. */
  readonly name: string | undefined;
  /** An empty or new folder, or one that an interrupted restore of this snapshot has begun to fill. */
  readonly dataDir: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CopyProgress) => void;
}

const lanes = 4;
const embedded = fingerprintOf({ databaseUrl: undefined, blobUrl: undefined, vectorUrl: undefined });
/** Files of the process that owns the folder, half-written ones included. */
const ofOwner = /^(?:server\.lock|(?:server|unfinished)\.json(?:\.\d+)?|lost\+found)$/;

interface RestoreOutcome {
  readonly snapshot: Snapshot;
  readonly copied: CopyProgress;
}

/** Writes a snapshot into a data folder; every file is compared with its checksum. */
export function restore(options: RestoreOptions): Promise<RestoreOutcome> {
  return namingFullDisk([options.dataDir], () => writeSnapshotTo(options));
}

async function writeSnapshotTo(options: RestoreOptions): Promise<RestoreOutcome> {
  const { dir, name, dataDir } = options;
  const repository = await openRepository(dir);
  const snapshot = await repository.find(name);
  const lock = tryLockDataDir(dataDir, "command");
  if (lock === undefined) throw conflict(`a server uses the data folder ${dataDir}; name another one`);
  try {
    await begin(dataDir, { dir, snapshot });
    const copied = await copyAll(options, repository, snapshot);
    removeUnfinished(dataDir);
    await syncFolder(dataDir);
    return { snapshot, copied };
  } finally {
    lock.release();
  }
}

async function begin(dataDir: string, { dir, snapshot }: { dir: string; snapshot: Snapshot }): Promise<void> {
  const id = `${snapshot.name} ${snapshot.filesSha256}`;
  const begun = readUnfinished(dataDir);
  if (begun?.id === id) return;
  const names = (await readdir(dataDir)).filter((name) => !ofOwner.test(name));
  if (names.length > 0 || begun !== undefined) {
    throw invalid(
      begun === undefined
        ? `the data folder ${dataDir} is not empty; name an empty one, or one that is not there yet, with --data-dir`
        : `drs ${begun.command} into ${dataDir} was interrupted; run that again, or empty the folder`,
    );
  }
  writeUnfinished(dataDir, { command: `restore ${dir} --snapshot ${snapshot.name}`, id, stores: embedded });
}

async function copyAll(
  { dir, dataDir, signal, onProgress }: RestoreOptions,
  repository: Repository,
  snapshot: Snapshot,
): Promise<CopyProgress> {
  const progress = { files: 0, bytes: 0, copiedFiles: 0, copiedBytes: 0 };
  // Read the list to the end before anything is written, so that its checksum is verified first.
  for await (const _ of repository.files(snapshot)) signal.throwIfAborted();
  await mapConcurrent(repository.files(snapshot), lanes, async (file) => {
    signal.throwIfAborted();
    const isThere = await isRestored(join(dataDir, ...file.path.split("/")), file);
    if (!isThere) {
      await restoreFile(repository, { dir, dataDir, file, signal });
      progress.copiedFiles += 1;
      progress.copiedBytes += file.size;
    }
    progress.files += 1;
    progress.bytes += file.size;
    onProgress({ ...progress });
  });
  return progress;
}

const isRestored = async (path: string, { sha256 }: SnapshotFile): Promise<boolean> =>
  (await ifThere(sha256OfFile(path))) === sha256;

interface RestoredFile {
  readonly dir: string;
  readonly dataDir: string;
  readonly file: SnapshotFile;
  readonly signal: AbortSignal;
}

async function restoreFile({ pool }: Repository, { dir, dataDir, file, signal }: RestoredFile): Promise<void> {
  const path = join(dataDir, ...file.path.split("/"));
  const temporary = `${path}.restoring`;
  await mkdir(dirname(path), { recursive: true, mode: folderMode });
  try {
    await rm(temporary, { force: true });
    const { sha256 } = await writeFileDurably(temporary, readSources([pool.pathOf(file.sha256)]), signal);
    if (sha256 !== file.sha256) throw unprocessable(damaged(dir, file));
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (cause) {
    await rm(temporary, { force: true });
    if (cause instanceof MissingSource) throw unprocessable(damaged(dir, file));
    if (storageFaultOf(cause) !== "full") throw cause;
    throw fullDisk(dataDir, cause);
  }
}

const damaged = (dir: string, { path }: SnapshotFile): string =>
  `the backup of ${path} is damaged; drs backup verify ${dir} shows which snapshots are whole`;
