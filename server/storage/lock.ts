import { randomBytes } from "node:crypto";
import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { conflict } from "../domain/errors.ts";
import { isBusy } from "./error-codes.ts";
import { type FolderOwner, readOwner, removeOwner, writeOwner } from "./folder-owner.ts";
import { closeToOthers, makeDataFolder, makePrivateFile, type Notice } from "./private-folder.ts";

/** The exclusive lock of this process on a data folder. */
export interface FolderLock {
  /** The secret of this lock: with it the server proves that it is the one that `server.json` describes. */
  readonly secret: string;
  /** Notices about what other users could do with the folder when it was locked, and what was done about that. */
  readonly notices: readonly Notice[];
  /** Tells other processes of the machine where the server of this folder answers. */
  publish(url: string): void;
  /**
   * Withdraws the published address. Call it before the port is closed: another program may listen there a moment
   * later.
   */
  withdraw(): void;
  release(): void;
}

/**
 * Milliseconds after which the holder counts as an owner: a process that only tests the lock holds it for less than
 * one.
 */
const lookMs = 250;

/** The garbage collector would close a lock that nothing refers to. */
const held = new Set<DatabaseSync>();

const pathIn = (dataDir: string): string => join(dataDir, "server.lock");

/**
 * Keeps other server processes off the data folder until `release` is called or this process ends, however it ends:
 * the lock is one that the operating system holds for an open file (an exclusive SQLite transaction), so that a killed
 * server leaves nothing behind that would have to be removed. Throws `conflict`, naming the process that has it.
 */
export function lockDataDir(dataDir: string, kind: FolderOwner["kind"] = "server"): FolderLock {
  const lock = tryLockDataDir(dataDir, kind, lookMs);
  if (lock !== undefined) return lock;
  const owner = readOwner(dataDir);
  const at = owner?.address === undefined ? "" : ` at ${owner.address.url}`;
  const process = owner === undefined ? "" : ` (process ${owner.pid})`;
  throw conflict(
    owner?.kind === "command"
      ? `a drs command${process} uses the data folder ${dataDir}; ` +
          "wait until it has finished, or give this server a folder of its own with --data-dir"
      : `a drs server${at}${process} already uses the data folder ${dataDir}; ` +
          "commands use it as it is; stop it first, or give this one a folder of its own with --data-dir",
  );
}

/** The lock, or undefined if another process has it and keeps it for the given milliseconds. */
export function tryLockDataDir(dataDir: string, kind: FolderOwner["kind"], timeoutMs = 0): FolderLock | undefined {
  makeDataFolder(dataDir);
  // SQLite would only say that it cannot open the file.
  accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  makePrivateFile(pathIn(dataDir));
  const lock = openLocked(pathIn(dataDir), timeoutMs);
  if (lock === undefined) return undefined;
  const notices = closeToOthers(dataDir);
  const secret = randomBytes(32).toString("base64url");
  const describe = (url?: string): void =>
    writeOwner(dataDir, { pid: process.pid, kind, address: url === undefined ? undefined : { url, secret } });
  try {
    describe();
  } catch (cause) {
    lock.close();
    throw cause;
  }
  held.add(lock);
  return {
    secret,
    notices,
    publish: (url) => describe(url),
    withdraw() {
      try {
        describe();
      } catch {
        // On a full disk the published address must not stay.
        removeOwner(dataDir);
      }
    },
    release() {
      if (!held.delete(lock)) return;
      removeOwner(dataDir);
      lock.close();
    },
  };
}

/** Whether a process holds the data folder. */
export function isLocked(dataDir: string): boolean {
  if (!existsSync(pathIn(dataDir))) return false;
  const lock = openLocked(pathIn(dataDir), 0);
  lock?.close();
  return lock === undefined;
}

/**
 * Locks a file until the returned handle is closed or this process ends, however it ends. Undefined if another process has
 * it and keeps it for the given milliseconds, during which this process is blocked.
 */
export function openLocked(path: string, timeoutMs: number): DatabaseSync | undefined {
  const lock = new DatabaseSync(path, { timeout: timeoutMs });
  try {
    // Kept in memory: a journal file would be left behind by a kill, although nothing is ever written.
    lock.exec("pragma journal_mode = memory");
    lock.exec("begin exclusive");
    return lock;
  } catch (cause) {
    lock.close();
    if (isBusy(cause)) return undefined;
    throw cause;
  }
}
