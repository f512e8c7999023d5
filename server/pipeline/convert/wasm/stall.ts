import { readFile } from "node:fs/promises";

/**
 * WASM LibreOffice has a race at its start: when its main thread begins to wait while another thread still reads files,
 * every read is passed to the main thread, which looks for it once per millisecond. What takes 2 s then takes a minute
 * or never ends. It shows by hardly any use of the processor (4 % of one was seen); even on a crowded machine a process
 * that can work gets more.
 */
const stalledShare = 0.08;

/** Ticks of the processor time that Linux counts; 100 on every machine (man 7 time). */
const ticksPerSecond = 100;

/**
 * Calls `onStall` when a process has used hardly any processor time during a whole window. Where the system does not
 * tell (no /proc), never. Returns what ends the watch.
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

/** What all threads of a process have used so far; undefined if the system does not tell. Format: proc_pid_stat(5). */
async function processorSeconds(pid: number): Promise<number | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  // The name before the last parenthesis may hold anything; after it come the state and then numbers.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isNaN(ticks) ? undefined : ticks / ticksPerSecond;
}
