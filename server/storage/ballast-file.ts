import { randomFillSync } from "node:crypto";
import { rmSync, statfsSync, statSync, truncateSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { storageFaultOf } from "../domain/storage-fault.ts";
import { diskRoom, reserveBytesOf } from "./disk.ts";
import { fileMode } from "./private-folder.ts";

const pathIn = (dataDir: string): string => join(dataDir, "reserve");

/**
 * A file that reserves disk space: it is filled while the disk has room, and shortened when the disk is full. All
 * processes share it.
 */
export interface BallastFile {
  /** Frees a part of the file; returns false if nothing is left for that use. */
  giveUp(use: ReserveUse): boolean;
  /** Restores the full size of the file, if enough room is left for others. */
  refill(): Promise<void>;
}

/** One half is only for deletes. Jobs that wait for room use some of the other half to record that they wait. */
export type ReserveUse = "delete" | "wait";

/** Minimum bytes freed at a time. The file is freed in parts, because another writer may take the freed room first. */
const minPartBytes = 128 * 1024;
const chunkBytes = 64 * 1024;

/** The reserve of a data folder, in the file `reserve`. */
export function openBallastFile(dataDir: string): BallastFile {
  const path = pathIn(dataDir);
  return {
    giveUp(use) {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      const { blocks, bsize } = statfsSync(dataDir);
      if (size <= (use === "wait" ? reserveBytesOf(blocks * bsize) / 2 : 0)) return false;
      try {
        truncateSync(path, Math.max(0, size - Math.max(minPartBytes, Math.ceil(size / 4))));
      } catch {
        // Some file systems need room to shorten a file, but none to remove it.
        rmSync(path, { force: true });
      }
      return true;
    },

    async refill() {
      const size = await stat(path).then(
        (found) => found.size,
        () => 0,
      );
      const { free, total } = await diskRoom(dataDir);
      const wanted = reserveBytesOf(total);
      // The same amount must stay free, because writers that wait for room come first.
      if (size >= wanted || free < 2 * wanted - size) return;
      await extend(path, size, wanted);
    },
  };
}

/** Appends random bytes, because holes and data that the file system compresses take up no room. */
async function extend(path: string, from: number, to: number): Promise<void> {
  const file = await open(path, "a", fileMode);
  try {
    const chunk = new Uint8Array(chunkBytes);
    for (let at = from; at < to; at += chunkBytes) {
      randomFillSync(chunk);
      await file.write(chunk, 0, Math.min(chunkBytes, to - at));
    }
    await file.sync();
  } catch (cause) {
    if (storageFaultOf(cause) === undefined) throw cause;
    await file.truncate(from);
  } finally {
    await file.close();
  }
}

/**
 * Wraps work so that, while the disk is full, part of the reserve is freed and the work is repeated until the reserve
 * is used up.
 */
export function withBallastFile<Args extends readonly unknown[], Result>(
  { reserve, use }: { readonly reserve: BallastFile; readonly use: ReserveUse },
  work: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    for (;;) {
      try {
        return await work(...args);
      } catch (cause) {
        if (storageFaultOf(cause) !== "full" || !reserve.giveUp(use)) throw cause;
      }
    }
  };
}

/** Measures the disk of a data folder, and the reserve on it. */
export async function sampleDisk(dataDir: string) {
  const [{ free, total }, reserve] = await Promise.all([
    diskRoom(dataDir),
    stat(pathIn(dataDir)).catch(() => undefined),
  ]);
  return { freeBytes: free, sizeBytes: total, reserveBytes: reserve?.size ?? 0 };
}
