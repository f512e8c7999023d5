import { createHash } from "node:crypto";
import { link, mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { LocalFile } from "../../../domain/ports/blobs.ts";
import { StoreError } from "../../../domain/storage-fault.ts";
import { folderMode } from "../../private-folder.ts";
import { ifThere } from "../../error-codes.ts";
import { sweepTemporary, temporaryName } from "../temporary.ts";
import { writeFileDurably } from "../write.ts";
import type { ObjectFacts } from "./object.ts";

/** Keeps objects as local files for readers that seek. The processes of a machine may share one folder. */
export interface LocalCache {
  /**
   * Returns the object as a file, which is not removed until the caller releases it. An object that is not cached yet
   * is downloaded, once for all callers of this process. Returns undefined if `download` does, because the object no
   * longer exists.
   */
  open(
    key: string,
    facts: ObjectFacts,
    download: () => Promise<AsyncIterable<Uint8Array> | undefined>,
  ): Promise<LocalFile | undefined>;
}

export interface LocalCacheOptions {
  readonly folder: string;
  /** Maximum bytes of cached files. Files in use are not removed, so they may exceed it. */
  readonly maxBytes: number;
}

/** Maximum number of attempts to open a file. Another process may evict it before this one can pin it. */
const maxAttempts = 5;

/**
 * Finished files are in `entries`, named by a hash of key, etag and size, so they never change. A file in use has a
 * second name (a hard link) in `in-use`, which identifies the process that uses it: eviction removes only the first
 * name, and readers keep theirs. The modification time is the time of the last use.
 */
export async function openLocalCache({ folder, maxBytes }: LocalCacheOptions): Promise<LocalCache> {
  const entries = join(folder, "entries");
  const inUse = join(folder, "in-use");
  const temporary = join(folder, "tmp");
  for (const each of [entries, inUse, temporary]) await mkdir(each, { recursive: true, mode: folderMode });
  // Files in use have no age limit, because a job may read a document for days.
  await sweepTemporary(inUse, { abandonedAfterMs: Number.POSITIVE_INFINITY });
  await sweepTemporary(temporary);
  const coming = new Map<string, Promise<boolean>>();

  async function pin(name: string, size: number): Promise<LocalFile | undefined> {
    const entry = join(entries, name);
    const path = join(inUse, temporaryName());
    if ((await ifThere(link(entry, path).then(() => true))) === undefined) return undefined;
    const release = (): Promise<void> => rm(path, { force: true });
    // The size differs if a power cut has truncated the file.
    if ((await stat(path)).size !== size) {
      await Promise.all([release(), rm(entry, { force: true })]);
      return undefined;
    }
    const now = new Date();
    await utimes(path, now, now);
    return { path, release };
  }

  /** Removes the least recently used files. */
  async function makeRoom(bytes: number): Promise<void> {
    const found = await Promise.all(
      (await readdir(entries)).map(async (name) => ({ name, facts: await ifThere(stat(join(entries, name))) })),
    );
    const files = found.flatMap(({ name, facts }) => (facts === undefined ? [] : { name, facts }));
    let total = files.reduce((sum, { facts }) => sum + facts.size, 0);
    for (const { name, facts } of files.sort((one, other) => one.facts.mtimeMs - other.facts.mtimeMs)) {
      if (total + bytes <= maxBytes) return;
      // Removing the name of a file in use would free no room.
      if (facts.nlink > 1) continue;
      await rm(join(entries, name), { force: true });
      total -= facts.size;
    }
  }

  async function fetch(name: string, size: number, download: Parameters<LocalCache["open"]>[2]): Promise<boolean> {
    await makeRoom(size);
    const unfinished = join(temporary, temporaryName());
    try {
      const body = await download();
      if (body === undefined) return false;
      const stored = await writeFileDurably(unfinished, body, undefined);
      if (stored.size !== size) {
        throw new StoreError("unreachable", `the object store has sent ${stored.size} bytes instead of ${size}`);
      }
      await rename(unfinished, join(entries, name));
      return true;
    } finally {
      await rm(unfinished, { force: true });
    }
  }

  return {
    async open(key, { size, etag }, download) {
      const name = createHash("sha256").update(`${key}\n${etag}\n${size}`).digest("hex");
      for (let attempt = 1; attempt <= maxAttempts; attempt++) {
        const file = await pin(name, size);
        if (file !== undefined) return file;
        let fetching = coming.get(name);
        if (fetching === undefined) {
          fetching = fetch(name, size, download).finally(() => coming.delete(name));
          coming.set(name, fetching);
        }
        if (!(await fetching)) return undefined;
      }
      throw new StoreError("full", "the local cache has no room for a document; make it larger (--local-cache-bytes)");
    },
  };
}
