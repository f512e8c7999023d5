import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { CliError } from "../failures.ts";
import { formatBytes } from "../output/amounts.ts";

/** Space that is left for other programs, bytes. */
const reserveBytes = 200 * 2 ** 20;

/** Throws unless the disk of the file has space for that many bytes and some to spare. */
export async function refuseFullDisk(file: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(file));
  const free = bavail * bsize;
  if (bytes + reserveBytes <= free) return;
  throw new CliError(
    `the disk of ${dirname(file)} has ${formatBytes(free)} free; ${formatBytes(bytes + reserveBytes)} are needed`,
    {
      next: "free some space, or choose another folder with --models-dir",
    },
  );
}
