import { stat } from "node:fs/promises";
import { join } from "node:path";
import { mapBounded } from "../../bounded.ts";
import { CliError } from "../../failures.ts";
import { sha256Of } from "../../upload/sending/content.ts";
import type { FileFacts, KnownSum } from "../state/record.ts";

/** Reading and hashing keep one core busy; the other one has files to wait for. */
const readAtOnce = 2;
/** A file that is written while it is read is read again so often. */
const maxReads = 3;
/** File systems whose times are coarse give two writes within this the same time, milliseconds. */
const coarseMs = 2_000;

export interface Sums {
  readonly sums: ReadonlyMap<string, KnownSum>;
  /** Files that could not be read. */
  readonly unread: ReadonlyMap<string, unknown>;
}

interface SumSettings {
  readonly root: string;
  readonly known: (path: string) => KnownSum | undefined;
  readonly signal: AbortSignal;
  /** A file has been read. */
  readonly onSum: (path: string, sum: KnownSum) => void;
}

/** The contents of files; only those are read that have changed since, or whose times could not tell that. */
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
  await mapBounded(toRead, readAtOnce, async (path) => {
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

/** Whether a file is as it was. */
export function isSame(one: FileFacts, other: FileFacts): boolean {
  return one.size === other.size && one.modifiedAt === other.modifiedAt && one.changedAt === other.changedAt;
}

/** What a file looks like now. Rejects with the error of the file system. */
export async function factsOf(path: string): Promise<FileFacts> {
  const { size, mtimeMs, ctimeMs } = await stat(path);
  return { size, modifiedAt: mtimeMs, changedAt: ctimeMs };
}

/** Whether a write after the reading would have shown in the file's times. */
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
  throw new CliError(`${path} changes while it is read`, { next: "sync again when it has been written" });
}
