import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";

/** Watches a folder for changes. */
export interface Changes {
  /** Watches exactly these folders, relative to the root. */
  follow(folders: readonly string[]): void;
  /**
   * Resolves once something has changed since the last call and nothing else has for a moment, or after `timeoutMs`.
   * Rejects with the reason of the signal.
   */
  next(timeoutMs: number, signal: AbortSignal): Promise<"changed" | "timeout">;
  /** Whether some folders cannot be watched. */
  readonly blind: boolean;
  close(): void;
}

/** Programs write in several steps. After a pause of this length, milliseconds, they are assumed to have finished. */
const quietMs = 500;
/** A folder that never stops changing is synced after this time, milliseconds. */
const maxQuietMs = 5_000;

export function createChanges(root: string): Changes {
  // On these platforms one watcher covers all subfolders; elsewhere every folder needs its own.
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
      // The folder has been removed, which its parent reports, or the system's limit of watchers is reached.
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
