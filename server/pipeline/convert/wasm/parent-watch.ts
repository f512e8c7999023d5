import { workerData } from "node:worker_threads";

/**
 * Ends the process when its parent has died. It runs in a thread, because the main thread is blocked while it converts and
 * would notice its parent's death only afterwards.
 */
const lookMs = 500;
const { parent }: { parent: number } = workerData;

function isAlive(): boolean {
  // On Windows a process keeps its parent's id for ever.
  if (process.platform !== "win32") return process.ppid === parent;
  try {
    return process.kill(parent, 0);
  } catch {
    return false;
  }
}

setInterval(() => {
  if (!isAlive()) process.kill(process.pid, "SIGKILL");
}, lookMs);
