import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Returns the number of processes that the system has killed so far for lack of memory: in this process's control group if the
 * kernel counts them, otherwise on the whole machine; 0 if neither is known. A count that rises while a process works
 * distinguishes a SIGKILL by the kernel from one by another process.
 */
export function countOomKills(root = "/"): number {
  for (const path of candidates(root)) {
    const count = /^oom_kill (\d+)$/m.exec(textOf(path))?.[1];
    if (count !== undefined) return Number(count);
  }
  return 0;
}

/**
 * Files of cgroup v2 (memory.events), cgroup v1 (memory.oom_control) and the machine (/proc/vmstat); Linux,
 * Documentation/admin-guide.
 */
function candidates(root: string): string[] {
  const groups = textOf(join(root, "proc/self/cgroup"));
  const unified = /^0::(.*)$/m.exec(groups)?.[1];
  const memory = /^\d+:(?:\w+,)*memory(?:,\w+)*:(.*)$/m.exec(groups)?.[1];
  return [
    ...(unified === undefined ? [] : [join(root, "sys/fs/cgroup", unified, "memory.events")]),
    ...(memory === undefined ? [] : [join(root, "sys/fs/cgroup/memory", memory, "memory.oom_control")]),
    // In a container the group's own folder is the visible root.
    ...(memory === undefined ? [] : [join(root, "sys/fs/cgroup/memory/memory.oom_control")]),
    join(root, "proc/vmstat"),
  ];
}

/** Returns the text of a file; empty if it does not exist. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
