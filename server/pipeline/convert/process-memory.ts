import { readdir, readFile } from "node:fs/promises";

/** Interval of the checks. LibreOffice has been seen to grow by 0.3 GB per second, and a check takes well under a millisecond. */
const lookMs = 100;

/**
 * Calls `onExcess` once when a process and its descendants exceed a memory limit. Watches nothing on a system without /proc.
 * Returns a function that ends the watch.
 */
export function watchMemory(pid: number, maxBytes: number, onExcess: () => void): () => void {
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    const bytes = await residentBytes(pid);
    if (ended) return;
    if (bytes > maxBytes) return onExcess();
    timer = setTimeout(() => void look(), lookMs);
  };
  void look();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

/** Returns the memory of a process and its descendants in bytes; 0 if it has ended or the system does not report it. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const own = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  const theirs = await Promise.all((await childrenOf(pid)).map(residentBytes));
  return theirs.reduce((sum, bytes) => sum + bytes, own);
}

/**
 * Reads the children of all threads: a child belongs to the thread that started it, and LibreOffice starts its children from a
 * later thread.
 */
async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, "utf8").catch(() => "")),
  );
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}
