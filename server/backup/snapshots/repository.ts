import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { conflict, invalid, notFound } from "../../domain/errors.ts";
import { syncFolder } from "../../storage/blobs/write.ts";
import { openLocked } from "../../storage/lock.ts";
import { fileMode, folderMode, makePrivateFile } from "../../storage/private-folder.ts";
import { ifThere } from "../../storage/error-codes.ts";
import { openPool, type Pool } from "./pool.ts";
import { filesOf, listSnapshots, removeSnapshot, type Snapshot, type SnapshotFile } from "./snapshot.ts";

/** Identifies the state of a file: while path, size and modification time are the same, so are its bytes. */
interface FileIdentity {
  readonly path: string;
  readonly size: number;
  /** Nanoseconds since the epoch, as text. */
  readonly modifiedAt: string;
}

/**
 * Records the files that have been copied, so that later backups need not read them again. The record is stored beside
 * the pool, and an interrupted backup adds to it too. It may be removed at any time; the next backup then reads all
 * files.
 */
interface KnownFiles {
  sha256Of(file: FileIdentity): string | undefined;
  note(file: FileIdentity, sha256: string): void;
  /** Records an object that a snapshot needs, in a temporary table of this connection. */
  need(sha256: string): void;
  isNeeded(sha256: string): boolean;
  /** Forgets the files whose objects are not needed. */
  forgetUnneeded(): void;
  close(): void;
}

function openKnownFiles(path: string): KnownFiles {
  makePrivateFile(path);
  const database = new DatabaseSync(path, { timeout: 10_000 });
  database.exec("pragma journal_mode = wal; pragma synchronous = normal");
  database.exec(`create table if not exists "files"
    ("path" text primary key, "size" integer not null, "modifiedAt" text not null, "sha256" text not null) without rowid`);
  database.exec(`create temp table "needed" ("sha256" text primary key) without rowid`);
  const find = database.prepare(`select "sha256" from "files" where "path" = ? and "size" = ? and "modifiedAt" = ?`);
  const enter = database.prepare(`insert or replace into "files" values (?, ?, ?, ?)`);
  const enterNeeded = database.prepare(`insert or ignore into "needed" values (?)`);
  const findNeeded = database.prepare(`select 1 from "needed" where "sha256" = ?`);
  return {
    sha256Of({ path, size, modifiedAt }) {
      const found = find.get(path, size, modifiedAt)?.["sha256"];
      return typeof found === "string" ? found : undefined;
    },
    note: ({ path, size, modifiedAt }, sha256) => void enter.run(path, size, modifiedAt, sha256),
    need: (sha256) => void enterNeeded.run(sha256),
    isNeeded: (sha256) => findNeeded.get(sha256) !== undefined,
    forgetUnneeded: () => database.exec(`delete from "files" where "sha256" not in (select "sha256" from "needed")`),
    close: () => database.close(),
  };
}

/** A folder with snapshots, for readers. */
export interface Repository {
  readonly pool: Pool;
  /** Oldest first. */
  snapshots(): Promise<readonly Snapshot[]>;
  /** Finds a snapshot by name, by default the newest. Throws `not_found`. */
  find(name: string | undefined): Promise<Snapshot>;
  files(snapshot: Snapshot): AsyncIterable<SnapshotFile>;
}

/** A folder with snapshots, for the one process that writes. */
export interface WritableRepository extends Repository {
  readonly known: KnownFiles;
  /** An empty folder for the snapshot that is being made. */
  readonly unfinished: string;
  /** An empty folder for the rows of that snapshot while they are updated. */
  readonly rows: string;
  /** Empties both folders. */
  startOver(): Promise<void>;
  /** Turns the unfinished folder into the snapshot of that name, atomically. */
  seal(name: string): Promise<void>;
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

const markName = "drs-backup.json";
const mark = `${JSON.stringify({ kind: "backup of a drs data folder", format: 1 })}\n`;

/** Throws `not_found` if there is no backup in the folder. */
export async function openRepository(dir: string): Promise<Repository> {
  if ((await ifThere(readFile(join(dir, markName)))) === undefined) throw notFound(`there is no backup in ${dir}`);
  return readerOf(dir);
}

function readerOf(dir: string): Repository {
  const root = join(dir, "snapshots");
  const snapshots = (): Promise<readonly Snapshot[]> => listSnapshots(root);
  return {
    pool: openPool(join(dir, "objects")),
    snapshots,
    async find(name) {
      const all = await snapshots();
      const found = name === undefined ? all.at(-1) : all.find((snapshot) => snapshot.name === name);
      if (found !== undefined) return found;
      throw notFound(
        name === undefined
          ? `no backup in ${dir} has been finished; drs backup ${dir} resumes it`
          : `there is no snapshot ${JSON.stringify(name)} in ${dir}; drs backup list ${dir} shows the snapshots`,
      );
    },
    files: (snapshot) => filesOf(root, snapshot),
  };
}

/**
 * Opens the folder for writing; with `create`, creates it if necessary. Throws `invalid` if it has other content,
 * `conflict` if another process writes to it.
 */
export async function openForWriting(dir: string, { create }: { create: boolean }): Promise<WritableRepository> {
  if (create) await createRepository(dir);
  const repository = await openRepository(dir);
  makePrivateFile(join(dir, "lock"));
  const lock = openLocked(join(dir, "lock"), 0);
  if (lock === undefined) throw conflict(`another drs backup writes to ${dir}; wait until it has ended`);
  const root = join(dir, "snapshots");
  const work = join(dir, "unfinished");
  const [unfinished, rows] = [join(work, "snapshot"), join(work, "rows")];
  try {
    const startOver = async (): Promise<void> => {
      await rm(work, { recursive: true, force: true });
      for (const folder of [root, unfinished, rows]) await mkdir(folder, { recursive: true, mode: folderMode });
    };
    await startOver();
    await repository.pool.sweep();
    const known = openKnownFiles(join(dir, "known-files.sqlite"));
    return {
      ...repository,
      known,
      unfinished,
      rows,
      startOver,
      async seal(name) {
        await rename(unfinished, join(root, name));
        await syncFolder(root);
        await syncFolder(dir);
      },
      remove: (name) => removeSnapshot(root, name),
      async close() {
        known.close();
        await rm(work, { recursive: true, force: true });
        lock.close();
      },
    };
  } catch (cause) {
    lock.close();
    throw cause;
  }
}

async function createRepository(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: folderMode });
  const names = await readdir(dir);
  if (names.includes(markName)) return;
  if (names.some((name) => name !== "lost+found" && !name.startsWith(`${markName}.`)))
    throw invalid(
      `${dir} contains something other than a backup; name an empty folder, or one that does not exist yet`,
    );
  const temporary = join(dir, `${markName}.${process.pid}`);
  await writeFile(temporary, mark, { mode: fileMode });
  await rename(temporary, join(dir, markName));
  await syncFolder(dir);
}

export interface Pruned {
  readonly removedSnapshots: readonly string[];
  readonly keptSnapshots: readonly string[];
  readonly freedBytes: number;
}

/**
 * Removes all snapshots but the `keep` newest, and the bytes that no snapshot needs any more, including those of
 * interrupted backups.
 */
export async function pruneBackup({ dir, keep }: { dir: string; keep: number }): Promise<Pruned> {
  const repository = await openForWriting(dir, { create: false });
  const { known, pool } = repository;
  try {
    const all = await repository.snapshots();
    const kept = all.slice(Math.max(0, all.length - keep));
    // Read all snapshots to keep before anything is removed: if one cannot be read, nothing is removed.
    for (const snapshot of kept) for await (const { sha256 } of repository.files(snapshot)) known.need(sha256);
    const removed = all.filter((snapshot) => !kept.includes(snapshot)).map(({ name }) => name);
    for (const name of removed) await repository.remove(name);
    let freedBytes = 0;
    for await (const { sha256, size } of pool.list()) {
      if (known.isNeeded(sha256)) continue;
      await pool.remove(sha256);
      freedBytes += size;
    }
    known.forgetUnneeded();
    return { removedSnapshots: removed, keptSnapshots: kept.map(({ name }) => name), freedBytes };
  } finally {
    await repository.close();
  }
}
