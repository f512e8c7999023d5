import { readFileSync } from "node:fs";

/** Whether a process stands still by SIGSTOP or under a debugger; false where the system does not tell. */
export function isHalted(pid: number): boolean {
  try {
    return /^State:\s+[Tt]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
