import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, statSync, truncateSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system of its own for a test. */
export interface SmallDisk {
  readonly path: string;
  /** To the last block, or to the last `freeBytes`. */
  fill(freeBytes?: number): void;
  /** Gives back what `fill` has taken. */
  free(): void;
  resize(bytes: number): void;
  remove(): void;
}

/** Or why there is none, to stand behind the title of a suite. */
export function mountSmallDisk(bytes: number): { readonly disk?: SmallDisk; readonly reason: string } {
  const path = mkdtempSync(join(tmpdir(), "drs-small-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes},mode=700`, "tmpfs", path], { stdio: "pipe" });
  } catch (cause) {
    rmSync(path, { recursive: true });
    return { reason: ` (skipped: needs the right to mount a tmpfs: ${String(cause).split("\n")[0]})` };
  }
  const filler = join(path, "filler");
  const disk: SmallDisk = {
    path,
    fill(freeBytes = 0) {
      const file = openSync(filler, "a");
      try {
        for (let size = 2 ** 20; size >= 4096;) {
          try {
            if (writeSync(file, Buffer.alloc(size, 1)) < size) size /= 2;
          } catch {
            size /= 2;
          }
        }
      } finally {
        closeSync(file);
      }
      const { bavail } = statfsSync(path);
      if (bavail !== 0) throw new Error(`${bavail} blocks are left`);
      if (freeBytes > 0) truncateSync(filler, Math.max(0, statSync(filler).size - freeBytes));
    },
    free: () => rmSync(filler, { force: true }),
    resize: (size) => void execFileSync("mount", ["-o", `remount,size=${size}`, path]),
    remove() {
      execFileSync("umount", ["-l", path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
  return { disk, reason: "" };
}
