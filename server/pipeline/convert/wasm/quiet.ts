import { setTimeout as sleep } from "node:timers/promises";

const lookMs = 200;
/** Less than a tenth of one processor. */
const quietMs = 20;
const quietLooks = 2;
/** Reading after the start ends sooner than this; something else keeps the process busy for longer. */
const maxWaitMs = 30_000;

/**
 * Waits until this process is idle. After its start WASM LibreOffice keeps reading in a thread that needs the main thread for
 * every file, so a document that comes too early would wait for each of those reads (see `watchStall`).
 */
export async function untilQuiet(): Promise<void> {
  const deadline = performance.now() + maxWaitMs;
  let last = used();
  let quiet = 0;
  while (quiet < quietLooks && performance.now() < deadline) {
    await sleep(lookMs);
    const now = used();
    quiet = now - last < quietMs ? quiet + 1 : 0;
    last = now;
  }
}

/** Processor time of all threads in milliseconds. */
function used(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
