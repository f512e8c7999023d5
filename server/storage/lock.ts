import { randomBytes } from "node:crypto";
import { accessSync, constants, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { conflict } from "../domain/errors.ts";
import { isBusy } from "./error-codes.ts";
import { closeToOthers, makeDataFolder, makePrivateFile, type Notice } from "./private-folder.ts";

/** The exclusive lock of this process on a data folder. */
export interface FolderLock {
  /** The secret with which the server proves that it is the one that `server.json` describes. */
  readonly secret: string;
  /** Notices about the access that other users had to the folder when it was locked, and what was done about it. */
  readonly notices: readonly Notice[];
  /** Tells other processes of the machine where the server of this folder answers. */
  publish(url: string): void;
  /**
   * Withdraws the published address. Call it before the port is closed, because another program may listen there a
   * moment later.
   */
  withdraw(): void;
  release(): void;
}

/**
 * How long to wait for the lock, ms. A process that only tests the lock holds it for less than 1 ms, so a process that
 * holds it longer is an owner.
 */
const lookMs = 250;

/** References to open locks, because the garbage collector would close a lock without one. */
const held = new Set<DatabaseSync>();

const pathIn = (dataDir: string): string => join(dataDir, "server.lock");

/**
 * Keeps other server processes off the data folder until `release` is called or this process ends in any way. The
 * operating system holds the lock for an open file (an exclusive SQLite transaction), so that a killed server leaves
 * nothing behind that would have to be removed. Throws `conflict`, naming the process that has the lock.
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

/** Returns the lock, or undefined if another process still has it after the given milliseconds. */
export function tryLockDataDir(dataDir: string, kind: FolderOwner["kind"], timeoutMs = 0): FolderLock | undefined {
  makeDataFolder(dataDir);
  // Otherwise SQLite would only report that it cannot open the file.
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
        // On a full disk, removing the file still withdraws the address.
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
 * Locks a file until the returned handle is closed or this process ends in any way. Returns undefined if another
 * process still has the lock after the given milliseconds, during which this process is blocked.
 */
export function openLocked(path: string, timeoutMs: number): DatabaseSync | undefined {
  const lock = new DatabaseSync(path, { timeout: timeoutMs });
  try {
    // A kill would leave a journal file behind, although nothing is ever written.
    lock.exec("pragma journal_mode = memory");
    lock.exec("begin exclusive");
    return lock;
  } catch (cause) {
    lock.close();
    if (isBusy(cause)) return undefined;
    throw cause;
  }
}

/** The process that holds a data folder, as described by itself for other processes of the machine. */
export interface FolderOwner {
  readonly pid: number;
  /** A server, or a command that runs a server of its own. */
  readonly kind: "server" | "command";
  /** The address at which it answers requests; undefined before it can, and after it stops. */
  readonly address: FolderAddress | undefined;
}

export interface FolderAddress {
  readonly url: string;
  /**
   * The secret that the server proves to know (`owner-proof.ts`). Only processes that can read the data folder know it.
   * Undefined if a server of an older version, which cannot prove this, wrote the file.
   */
  readonly secret: string | undefined;
}

const ownerPath = (dataDir: string): string => join(dataDir, "server.json");

/**
 * Reads the owner's description of itself; undefined if there is none. The description is valid only while a process
 * holds the folder's lock, because a killed owner leaves the file behind.
 */
export function readOwner(dataDir: string): FolderOwner | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(ownerPath(dataDir), "utf8"));
  } catch {
    // The owner has the lock, but has not written the file yet.
    return undefined;
  }
  if (typeof parsed !== "object" || parsed === null) return undefined;
  const part = (name: string): unknown => Reflect.get(parsed, name);
  const [pid, kind, url, secret] = [part("pid"), part("kind"), part("url"), part("secret")];
  if (typeof pid !== "number" || (kind !== "server" && kind !== "command")) return undefined;
  const address =
    typeof url === "string" && URL.canParse(url)
      ? { url, secret: typeof secret === "string" && secret !== "" ? secret : undefined }
      : undefined;
  return { pid, kind, address };
}

/**
 * Replaces the description atomically, so that no reader sees half of it. Only the holder of the lock may call this.
 */
function writeOwner(dataDir: string, { pid, kind, address }: FolderOwner): void {
  const temporary = `${ownerPath(dataDir)}.${process.pid}`;
  try {
    writeFileSync(temporary, `${JSON.stringify({ pid, kind, ...address })}\n`, { mode: 0o600 });
    renameSync(temporary, ownerPath(dataDir));
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw cause;
  }
}

function removeOwner(dataDir: string): void {
  rmSync(ownerPath(dataDir), { force: true });
}
