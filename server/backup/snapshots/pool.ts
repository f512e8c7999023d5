import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { StoredBlob } from "../../domain/ports/blobs.ts";
import { syncFolder, writeFileDurably } from "../../storage/blobs/write.ts";
import { readSources } from "../../storage/blobs/sources.ts";
import { folderMode } from "../../storage/private-folder.ts";
import { ifThere } from "../../storage/error-codes.ts";

/** Stores the bytes of all snapshots, each file once, named by its SHA-256: `objects/ab/cdef…`. */
export interface Pool {
  has(sha256: string, size: number): Promise<boolean>;
  /** Copies a file into the pool, durably. Throws `MissingSource` if it does not exist. */
  add(path: string, signal: AbortSignal): Promise<StoredBlob>;
  pathOf(sha256: string): string;
  list(): AsyncIterable<{ readonly sha256: string; readonly size: number }>;
  remove(sha256: string): Promise<void>;
  /** Removes half-written files of an interrupted process. */
  sweep(): Promise<void>;
}

const sha256Text = /^[0-9a-f]{64}$/;

export function openPool(root: string): Pool {
  const unfinished = join(root, "tmp");
  const pathOf = (sha256: string): string => {
    if (!sha256Text.test(sha256)) throw new TypeError(`not a SHA-256: ${JSON.stringify(sha256)}`);
    return join(root, sha256.slice(0, 2), sha256.slice(2));
  };
  const sizeOf = async (sha256: string): Promise<number | undefined> => (await ifThere(stat(pathOf(sha256))))?.size;

  return {
    pathOf,
    has: async (sha256, size) => (await sizeOf(sha256)) === size,

    async add(path, signal) {
      const temporary = join(unfinished, randomUUID());
      await mkdir(unfinished, { recursive: true, mode: folderMode });
      try {
        const stored = await writeFileDurably(temporary, readSources([path]), signal);
        const folder = join(root, stored.sha256.slice(0, 2));
        const made = await mkdir(folder, { recursive: true, mode: folderMode });
        await rename(temporary, pathOf(stored.sha256));
        await syncFolder(folder);
        if (made !== undefined) await syncFolder(root);
        return stored;
      } catch (cause) {
        await rm(temporary, { force: true });
        throw cause;
      }
    },

    async *list() {
      for (const prefix of (await ifThere(readdir(root))) ?? []) {
        if (!/^[0-9a-f]{2}$/.test(prefix)) continue;
        for (const rest of await readdir(join(root, prefix))) {
          const sha256 = prefix + rest;
          const size = sha256Text.test(sha256) ? await sizeOf(sha256) : undefined;
          if (size !== undefined) yield { sha256, size };
        }
      }
    },

    remove: (sha256) => rm(pathOf(sha256), { force: true }),
    sweep: () => rm(unfinished, { recursive: true, force: true }),
  };
}
