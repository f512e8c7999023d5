import { setTimeout as sleep } from "node:timers/promises";
import { type FolderLock, lockDataDir, readOwner, tryLockDataDir } from "@drs/server/folder";

/** How often the folder is looked at, milliseconds. */
const lookMs = 50;

/**
 * The data folder's lock for a server that is to stay. A command that serves itself ends by itself, so it is waited for;
 * `onWait` is told once which process that is. Throws the server's `conflict` if another server has the folder.
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
    // Between two commands there is a moment without an owner.
    if (owner?.kind === "server" || (owner === undefined && !waits)) return lockDataDir(dataDir);
    if (!waits && owner !== undefined) onWait(owner.pid);
    waits = true;
    await sleep(lookMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
