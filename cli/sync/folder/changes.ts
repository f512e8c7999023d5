import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";

/** Tells that something has changed in a folder. */
export interface Changes {
  /** Watches these folders, relative to the root, and no others any more. */
  follow(folders: readonly string[]): void;
  /**
   * Resolves once something has changed since the last call and no more follows for a moment, or after `timeoutMs`.
   * Rejects with the reason of the signal.
   */
  next(timeoutMs: number, signal: AbortSignal): Promise<"changed" | "timeout">;
  /** Whether not all folders can be watched. */
  readonly blind: boolean;
  close(): void;
}

/** Programs write in several steps, which come within this, milliseconds. */
const quietMs = 500;
/** A folder in which something always changes is looked at all the same, milliseconds. */
const maxQuietMs = 5_000;

export function createChanges(root: string): Changes {
  // One watch sees everything below it there; elsewhere every folder has its own.
  const deep = process.platform === "darwin" || process.platform === "win32";
  const watchers = new Map<string, FSWatcher>();
  let blind = false;
  let changedAt: number | undefined;
  let wake: () => void = () => undefined;
  const onChange = (): void => {
    changedAt ??= Date.now();
    wake();
  };
  const open = (folder: string): void => {
    try {
      const watcher = watch(join(root, folder), { recursive: deep, persistent: false }, onChange);
      watcher.on("error", () => {
        watcher.close();
        watchers.delete(folder);
        onChange();
      });
      watchers.set(folder, watcher);
    } catch {
      // The folder is gone, which its parent tells, or the system watches no more of them.
      blind = true;
    }
  };
  const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        wake = () => undefined;
        reject(signal.reason);
      };
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      wake = done;
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
    });
  return {
    get blind() {
      return blind;
    },
    follow(folders) {
      const wanted = new Set(deep ? [""] : folders);
      blind = false;
      for (const [folder, watcher] of watchers) {
        if (wanted.has(folder)) continue;
        watcher.close();
        watchers.delete(folder);
      }
      for (const folder of wanted) if (!watchers.has(folder)) open(folder);
    },
    async next(timeoutMs, signal) {
      signal.throwIfAborted();
      if (changedAt === undefined) await sleep(timeoutMs, signal);
      if (changedAt === undefined) return "timeout";
      for (const startedAt = changedAt; Date.now() - startedAt < maxQuietMs;) {
        const before = Date.now();
        await sleep(quietMs, signal);
        if (Date.now() - before >= quietMs) break;
      }
      changedAt = undefined;
      return "changed";
    },
    close() {
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}
