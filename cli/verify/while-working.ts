import { setTimeout } from "node:timers/promises";
import type { Settings } from "@drs/server/settings";

type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/**
 * Runs a function while a worker is running on the stores: that of the server that has the data folder, or else one of
 * its own.
 */
export async function whileWorking(settings: Settings, wait: (sleep: Sleep) => Promise<void>): Promise<void> {
  const sleep: Sleep = async (ms, signal) => setTimeout(ms, undefined, { signal });
  const { isLocked } = await import("@drs/server/folder");
  if (isLocked(settings.dataDir)) return wait(sleep);
  const { work } = await import("@drs/server");
  const worker = await work({ ...settings, log: "error" });
  try {
    await wait(sleep);
  } finally {
    await worker.close();
  }
}
