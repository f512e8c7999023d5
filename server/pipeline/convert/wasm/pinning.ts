import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The command that runs a Node program, for `fork`. */
export interface NodeCommand {
  readonly execPath: string;
  readonly execArgv: string[];
}

let next = 0;
let hasTaskset: boolean | undefined;

/**
 * Runs Node on one processor, a different one each time, if `taskset` (util-linux, BusyBox) is available. Threads that take
 * turns seldom run into the race that `watchStall` describes (on two processors 5 of 14 starts did, on one 0 of 8), and warm
 * conversions are as fast, because they hardly keep more than one thread busy.
 */
export function nodeOnOneProcessor(): NodeCommand {
  const processors = allowedProcessors();
  hasTaskset ??= processors.length > 0 && spawnSync("taskset", ["-c", processors.join(","), "true"]).status === 0;
  const processor = processors[next++ % processors.length];
  return hasTaskset && processor !== undefined
    ? { execPath: "taskset", execArgv: ["-c", String(processor), process.execPath] }
    : { execPath: process.execPath, execArgv: [] };
}

/** The processors that this process may run on; empty if the system does not tell. */
function allowedProcessors(): number[] {
  if (process.platform !== "linux") return [];
  try {
    return parseProcessors(/^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "");
  } catch {
    return [];
  }
}

/** Parses "0-2,5" as 0, 1, 2 and 5. Exported for its test. */
export function parseProcessors(list: string): number[] {
  return list.split(",").flatMap((range) => {
    const match = /^(\d+)(?:-(\d+))?$/.exec(range);
    if (match === null) return [];
    const first = Number(match[1]);
    return Array.from({ length: Number(match[2] ?? first) - first + 1 }, (_, index) => first + index);
  });
}
