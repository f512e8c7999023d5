import { createHash } from "node:crypto";
import { mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isBusy, makePrivateFile } from "@drs/server/folder";
import { CliError } from "../../failures.ts";
import type { CommandIo } from "../../command-io.ts";
import { isEmpty, type SyncRecord } from "./record.ts";

/** A folder and the workspace that it is synced with. */
interface SyncPair {
  /** Identifies the server across runs. */
  readonly server: string;
  /** Undefined if the service does not report it. */
  readonly workspaceId: string | undefined;
  /** Absolute path without links. */
  readonly folder: string;
}

/** The state that earlier runs have saved for a synced folder. Only one process can have it open. */
export interface SyncState {
  readonly records: ReadonlyMap<string, SyncRecord>;
  /** Replaces the records of these paths, either all or none. Empty records are deleted. */
  put(...records: readonly SyncRecord[]): void;
  close(): void;
}

/** Version of the table's format; others are not read. */
const version = 1;
/** SQLite's codes for a file that is damaged or no database, https://www.sqlite.org/rescode.html */
const damagedCodes: readonly number[] = [11, 26];

/**
 * Opens the state of a pair. The operating system holds the lock for an open file, so a killed run leaves none behind.
 * A damaged file is renamed: its contents are found again on the service, by content and name. Throws a `CliError`
 * while another run has it open.
 */
export async function openSyncState(
  env: CommandIo["env"],
  pair: SyncPair,
  onDamaged: (path: string) => void,
): Promise<SyncState> {
  const folder = join(env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "drs", "sync");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${nameOf(pair)}.sqlite`);
  try {
    return open(path, pair);
  } catch (cause) {
    if (isBusy(cause)) throw alreadyRunning(pair);
    if (!damagedCodes.includes(codeOf(cause))) throw cause;
    const aside = `${path}.damaged`;
    await rename(path, aside);
    for (const rest of ["-wal", "-shm"]) await rm(`${path}${rest}`, { force: true });
    onDamaged(aside);
    return open(path, pair);
  }
}

function open(path: string, pair: SyncPair): SyncState {
  makePrivateFile(path);
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    return stateIn(database, pair);
  } catch (cause) {
    database.close();
    throw cause;
  }
}

function stateIn(database: DatabaseSync, pair: SyncPair): SyncState {
  // The lock is held until the process ends. A kill loses nothing that was saved; a power cut may, but the service
  // still has it.
  database.exec("pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = normal");
  database.exec("begin exclusive");
  database.exec("create table if not exists pair (version integer not null, description text not null)");
  database.exec("create table if not exists records (path text primary key, record text not null) without rowid");
  const known = database.prepare("select version from pair").get();
  if (known === undefined)
    database.prepare("insert into pair (version, description) values (?, ?)").run(version, JSON.stringify(pair));
  else if (known["version"] !== version)
    throw new CliError("a newer version of drs has synced this folder", { next: "use that version of drs" });
  database.exec("commit");
  const records = new Map<string, SyncRecord>();
  for (const row of database.prepare("select record from records").iterate()) {
    const record: SyncRecord = JSON.parse(String(row["record"]));
    records.set(record.path, record);
  }
  const replace = database.prepare("insert or replace into records (path, record) values (?, ?)");
  const remove = database.prepare("delete from records where path = ?");
  return {
    records,
    put(...changed) {
      if (changed.length === 0) return;
      database.exec("begin");
      for (const record of changed) {
        if (isEmpty(record)) remove.run(record.path);
        else replace.run(record.path, JSON.stringify(record));
      }
      database.exec("commit");
      for (const record of changed) {
        if (isEmpty(record)) records.delete(record.path);
        else records.set(record.path, record);
      }
    },
    close: () => database.close(),
  };
}

function nameOf({ server, workspaceId = "", folder }: SyncPair): string {
  return createHash("sha256")
    .update(JSON.stringify([server, workspaceId, folder]))
    .digest("hex")
    .slice(0, 32);
}

function alreadyRunning({ folder }: SyncPair): CliError {
  return new CliError(`another drs sync is running on ${folder}`, {
    next: "wait until it has ended; with --watch, it runs until it is stopped",
  });
}

function codeOf(cause: unknown): number {
  return cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number" ? cause.errcode & 0xff : 0;
}
