import { readFileSync } from "node:fs";

/** Whether a process is halted by SIGSTOP or a debugger; false if the system does not tell. */
export function isHalted(pid: number): boolean {
  try {
    return /^State:\s+[Tt]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
