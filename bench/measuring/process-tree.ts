import { readFileSync } from "node:fs";
import { childrenOf } from "../../test/service/children.ts";

/** Linux reports CPU time in ticks of 1/100 s on every architecture that Node runs on. */
const tickMs = 10;

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
