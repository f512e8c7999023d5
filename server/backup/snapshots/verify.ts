import { stat } from "node:fs/promises";
import { sha256OfFile } from "../files.ts";
import { ifThere } from "../../storage/error-codes.ts";
import { openRepository } from "./repository.ts";

/** A file of a snapshot that cannot be restored. */
export interface DamagedFile {
  readonly snapshot: string;
  readonly path: string;
  readonly problem: string;
}

interface VerifyBackupOptions {
  readonly dir: string;
  /** The snapshot to verify; undefined for all. */
  readonly name: string | undefined;
  readonly signal: AbortSignal;
  readonly onSnapshot: (name: string) => void;
  /** Called with the number of bytes that have been read. */
  readonly onProgress: (bytes: number) => void;
}

/**
 * Reads every byte of the snapshots and compares it with its checksum; bytes that several snapshots share are read
 * once.
 */
export async function* verifyBackup(options: VerifyBackupOptions): AsyncGenerator<DamagedFile> {
  const { dir, name, signal, onSnapshot, onProgress } = options;
  const { find, snapshots, files, pool } = await openRepository(dir);
  /** Objects that have been read, with their problems; some 100 bytes each. */
  const read = new Map<string, string>();
  let bytes = 0;
  for (const snapshot of name === undefined ? await snapshots() : [await find(name)]) {
    onSnapshot(snapshot.name);
    for await (const { path, size, sha256 } of files(snapshot)) {
      signal.throwIfAborted();
      const problem = read.get(sha256) ?? (await problemOf(pool.pathOf(sha256), { size, sha256 }));
      if (!read.has(sha256)) onProgress((bytes += size));
      read.set(sha256, problem);
      if (problem !== "") yield { snapshot: snapshot.name, path, problem };
    }
  }
}

/** Describes what is wrong with an object; empty if nothing is. */
async function problemOf(path: string, expected: { size: number; sha256: string }): Promise<string> {
  const found = await ifThere(stat(path));
  if (found === undefined) return "is missing";
  if (found.size !== expected.size) return `has ${found.size} bytes instead of ${expected.size}`;
  return (await sha256OfFile(path)) === expected.sha256 ? "" : "has other bytes than those that were copied";
}
