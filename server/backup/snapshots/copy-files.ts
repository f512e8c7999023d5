import { stat } from "node:fs/promises";
import { storageFaultOf } from "../../domain/storage-fault.ts";
import { MissingSource } from "../../storage/blobs/sources.ts";
import { fullDisk } from "../files.ts";
import { ifThere } from "../../storage/error-codes.ts";
import type { WritableRepository } from "./repository.ts";
import type { SnapshotFile, SnapshotWriter } from "./snapshot.ts";

/** The progress of a backup or a restore. */
export interface CopyProgress {
  /** Files that are done, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** Files that had to be copied, and their bytes. */
  readonly copiedFiles: number;
  readonly copiedBytes: number;
}

export interface Copier {
  /**
   * Adds a file to the snapshot, and copies it if its bytes are not in the pool yet. Returns undefined if the file does
   * not exist.
   */
  add(file: { readonly from: string; readonly path: string }): Promise<SnapshotFile | undefined>;
  progress(): CopyProgress;
}

interface Options {
  readonly repository: Pick<WritableRepository, "pool" | "known">;
  readonly writer: SnapshotWriter;
  /** The folder of the backup, for messages. */
  readonly dir: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CopyProgress) => void;
}

export function createCopier({ repository: { pool, known }, writer, dir, signal, onProgress }: Options): Copier {
  const progress = { files: 0, bytes: 0, copiedFiles: 0, copiedBytes: 0 };

  async function bytesOf(from: string, path: string): Promise<SnapshotFile | undefined> {
    const found = await ifThere(stat(from, { bigint: true }));
    if (found === undefined) return undefined;
    const identity = { path, size: Number(found.size), modifiedAt: String(found.mtimeNs) };
    const sha256 = known.sha256Of(identity);
    if (sha256 !== undefined && (await pool.has(sha256, identity.size))) return { path, size: identity.size, sha256 };
    try {
      const stored = await pool.add(from, signal);
      progress.copiedFiles += 1;
      progress.copiedBytes += stored.size;
      if (stored.size === identity.size) known.note(identity, stored.sha256);
      return { path, ...stored };
    } catch (cause) {
      if (cause instanceof MissingSource) return undefined;
      if (storageFaultOf(cause) !== "full") throw cause;
      throw fullDisk(dir, cause);
    }
  }

  return {
    async add({ from, path }) {
      signal.throwIfAborted();
      const file = await bytesOf(from, path);
      if (file === undefined) return undefined;
      await writer.add(file);
      progress.files += 1;
      progress.bytes += file.size;
      onProgress({ ...progress });
      return file;
    },
    progress: () => ({ ...progress }),
  };
}
