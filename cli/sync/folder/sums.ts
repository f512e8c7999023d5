import { stat } from "node:fs/promises";
import { join } from "node:path";
import { mapConcurrent } from "../../bounded.ts";
import { CliError } from "../../failures.ts";
import { sha256Of } from "../../files/sha256.ts";
import type { FileFacts, KnownSum } from "../state/record.ts";

/** Two at once: while one is hashed on one core, the other waits for its file. */
const readAtOnce = 2;
/** Maximum number of reads of a file that changes while it is read. */
const maxReads = 3;
/** File systems with coarse times give two writes within this time the same timestamp, milliseconds. */
const coarseMs = 2_000;

export interface Sums {
  readonly sums: ReadonlyMap<string, KnownSum>;
  /** Files that could not be read, with the reason. */
  readonly unread: ReadonlyMap<string, unknown>;
}

interface SumSettings {
  readonly root: string;
  readonly known: (path: string) => KnownSum | undefined;
  readonly signal: AbortSignal;
  /** Called when a file has been read. */
  readonly onSum: (path: string, sum: KnownSum) => void;
}

/**
 * Returns the checksums of files. It reads only files that have changed since the last time, or whose timestamps are
 * too recent to tell.
 */
export async function sumFiles(files: ReadonlyMap<string, FileFacts>, settings: SumSettings): Promise<Sums> {
  const { root, known, signal, onSum } = settings;
  const sums = new Map<string, KnownSum>();
  const unread = new Map<string, unknown>();
  const toRead: string[] = [];
  for (const [path, facts] of files) {
    const before = known(path);
    if (before !== undefined && isSame(before, facts) && isSettled(before)) sums.set(path, before);
    else toRead.push(path);
  }
  await mapConcurrent(toRead, readAtOnce, async (path) => {
    try {
      const sum = await readSum(join(root, path), signal);
      sums.set(path, sum);
      onSum(path, sum);
    } catch (cause) {
      signal.throwIfAborted();
      unread.set(path, cause);
    }
  });
  return { sums, unread };
}

/** Returns whether a file is unchanged, judging by size and timestamps. */
export function isSame(one: FileFacts, other: FileFacts): boolean {
  return one.size === other.size && one.modifiedAt === other.modifiedAt && one.changedAt === other.changedAt;
}

/** Returns size and timestamps of a file. Rejects with the error of the file system. */
export async function factsOf(path: string): Promise<FileFacts> {
  const { size, mtimeMs, ctimeMs } = await stat(path);
  return { size, modifiedAt: mtimeMs, changedAt: ctimeMs };
}

/** Returns whether a write after the reading would have changed the timestamps. */
function isSettled({ modifiedAt, changedAt, readAt }: KnownSum): boolean {
  return Math.max(modifiedAt, changedAt) + coarseMs < readAt;
}

async function readSum(path: string, signal: AbortSignal): Promise<KnownSum> {
  for (let reads = 1; reads <= maxReads; reads += 1) {
    const readAt = Date.now();
    const before = await factsOf(path);
    const sha256 = await sha256Of(path, { signal });
    if (isSame(before, await factsOf(path))) return { ...before, sha256, readAt };
  }
  throw new CliError(`${path} changes while it is read`, { next: "sync again when it is complete" });
}
