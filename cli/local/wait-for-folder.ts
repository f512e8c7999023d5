import { setTimeout as sleep } from "node:timers/promises";
import { type FolderLock, lockDataDir, readOwner, tryLockDataDir } from "@drs/server/folder";

/** Interval of checking the folder, milliseconds. */
const lookMs = 50;

/**
 * Takes the lock of the data folder for a server that is to stay. It waits for a command that serves itself, because
 * that ends by itself; `onWait` is called once with the process id. Throws the server's `conflict` if another server
 * has the folder.
 */
export async function waitForFolder(
  dataDir: string,
  { signal, onWait }: { signal: AbortSignal; onWait: (pid: number) => void },
): Promise<FolderLock> {
  for (let waits = false; ;) {
    signal.throwIfAborted();
    const lock = tryLockDataDir(dataDir, "server");
    if (lock !== undefined) return lock;
    const owner = readOwner(dataDir);
    // The folder has no owner for a moment between two commands.
    if (owner?.kind === "server" || (owner === undefined && !waits)) return lockDataDir(dataDir);
    if (!waits && owner !== undefined) onWait(owner.pid);
    waits = true;
    await sleep(lookMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
