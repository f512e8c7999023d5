import { readFile } from "node:fs/promises";

/**
 * WASM LibreOffice has a race at its start: if its main thread begins to wait while another thread still reads files, every
 * read is passed to the main thread, which polls once per millisecond. A start of 2 s then takes a minute or never ends. A
 * stalled process hardly uses the processor (4 % of one was seen); a process that can work gets more even on a crowded
 * machine.
 */
const stalledShare = 0.08;

/** Linux counts processor time in ticks, 100 per second on every machine (man 7 time). */
const ticksPerSecond = 100;

/**
 * Calls `onStall` when a process has hardly used the processor during a whole window; never on a system without /proc.
 * Returns a function that ends the watch.
 */
export function watchStall(pid: number, windowMs: number, onStall: () => void): () => void {
  let last: { at: number; used: number } | undefined;
  const look = async (): Promise<void> => {
    const used = await processorSeconds(pid);
    if (used === undefined) return;
    const now = { at: performance.now(), used };
    const share = last === undefined ? 1 : ((now.used - last.used) * 1000) / (now.at - last.at);
    last = now;
    if (share < stalledShare && !ended) onStall();
  };
  let ended = false;
  const timer = setInterval(() => void look(), windowMs);
  void look();
  return () => {
    ended = true;
    clearInterval(timer);
  };
}

/** Processor time of all threads of a process so far; undefined if the system does not tell. Format: proc_pid_stat(5). */
async function processorSeconds(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  // The name before the last parenthesis may contain anything; the state and then numbers follow it.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isNaN(ticks) ? undefined : ticks / ticksPerSecond;
}
