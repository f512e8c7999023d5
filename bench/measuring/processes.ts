import { existsSync, readFileSync } from "node:fs";
import { childrenOf } from "../../test/service/children.ts";

/** The cost of a process is read from procfs, which only Linux has. */
export const hasProcfs = existsSync("/proc/self/stat");
export const procfsReason = "the cost of a running process is read from /proc, which this system does not have";

/** Linux reports CPU time in ticks of 1/100 s on every architecture that Node runs on. */
const tickMs = 10;

/** User and system time of a process with all its threads, also those that have ended; milliseconds. See proc(5). */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The second field is the program's name in parentheses and may hold anything; 14 and 15 are utime and stime.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[14 - 3]) + Number(fields[15 - 3])) * tickMs;
}

/** Memory that a process holds now, MB. */
export const rssMb = (pid: number): number => statusMb(pid, "VmRSS");

/** The most memory that a process has ever held, MB. */
export const peakRssMb = (pid: number): number => statusMb(pid, "VmHWM");

/** Returns a memory figure of a process; 0 for a zombie process. */
function statusMb(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, "m").exec(status)?.[1] ?? 0) / 1024;
}

/** Samples every `everyMs` milliseconds and keeps the largest figure. `stop` samples once more and returns it. */
export function watchLargest(everyMs: number, look: () => number): { stop(): number } {
  let largest = look();
  const timer = setInterval(() => (largest = Math.max(largest, look())), everyMs);
  return {
    stop() {
      clearInterval(timer);
      return Math.max(largest, look());
    },
  };
}

/** Returns the user and system time of a process, its descendants, and ended children; milliseconds. See proc(5). */
export function treeCpuMs(pid: number): number {
  const own = ticksOf(pid);
  return own * tickMs + childrenOf(pid).reduce((sum, child) => sum + treeCpuMs(child), 0);
}

/** utime, stime, cutime and cstime: fields 14 to 17; 0 for a process that has just ended. */
function ticksOf(pid: number): number {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return 0;
  }
  // The second field is the program's name in parentheses and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(14 - 3, 18 - 3).reduce((sum, field) => sum + Number(field), 0);
}
