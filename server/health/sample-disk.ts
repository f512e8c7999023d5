import type { DiskSample } from "../metrics/samples.ts";
import { diskRoom } from "../storage/disk.ts";
import { reserveSize } from "../storage/ballast-file.ts";

/** Measures the disk of a data folder. */
export async function sampleDisk(dataDir: string): Promise<DiskSample> {
  const [{ free, total }, reserveBytes] = await Promise.all([diskRoom(dataDir), reserveSize(dataDir)]);
  return { freeBytes: free, sizeBytes: total, reserveBytes };
}
