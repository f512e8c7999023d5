import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { conflict } from "../domain/errors.ts";
import { isBusy } from "./busy.ts";

/**
 * Keeps other server processes off the data folder until `release` is called or this process ends, however it ends:
 * the lock is one that the operating system holds for an open file (an exclusive SQLite transaction), so that a killed
 * server leaves nothing behind that would have to be cleared away. Throws `conflict`, naming the process that has it.
 */
export function lockDataDir(dataDir: string): () => void {
  mkdirSync(dataDir, { recursive: true });
  const ownerPath = join(dataDir, "server.pid");
  const lock = new DatabaseSync(join(dataDir, "server.lock"), { timeout: 0 });
  try {
    // Kept in memory: a journal file would be left behind by a kill, although nothing is ever written.
    lock.exec("pragma journal_mode = memory");
    lock.exec("begin exclusive");
  } catch (cause) {
    lock.close();
    if (!isBusy(cause)) throw cause;
    throw conflict(
      `another drs server${describeOwner(ownerPath)} uses the data folder ${dataDir}; ` +
        "stop it first, or give this one a folder of its own with --data-dir",
    );
  }
  // For the sentence above only. Whoever reads it while a new owner writes it sees the old one, or none.
  writeFileSync(ownerPath, `${process.pid}\n`);
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    rmSync(ownerPath, { force: true });
    lock.close();
  };
}

function describeOwner(path: string): string {
  try {
    const pid = readFileSync(path, "utf8").trim();
    return /^\d+$/.test(pid) ? ` (process ${pid})` : "";
  } catch {
    // The owner has the lock, but has not written its number yet.
    return "";
  }
}
