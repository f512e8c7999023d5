import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * How many processes the system has ended so far for want of memory: those of this process's control group where the
 * kernel counts them, else those of the whole machine. 0 where neither is known. A count that goes up while a process is
 * at work tells a SIGKILL of the kernel from one that another process sent.
 */
export function countOomKills(root = "/"): number {
  for (const path of candidates(root)) {
    const count = /^oom_kill (\d+)$/m.exec(textOf(path))?.[1];
    if (count !== undefined) return Number(count);
  }
  return 0;
}

/** cgroup v2 (memory.events), cgroup v1 (memory.oom_control), the machine (/proc/vmstat); Linux, Documentation/admin-guide. */
function candidates(root: string): string[] {
  const groups = textOf(join(root, "proc/self/cgroup"));
  const unified = /^0::(.*)$/m.exec(groups)?.[1];
  const memory = /^\d+:(?:\w+,)*memory(?:,\w+)*:(.*)$/m.exec(groups)?.[1];
  return [
    ...(unified === undefined ? [] : [join(root, "sys/fs/cgroup", unified, "memory.events")]),
    ...(memory === undefined ? [] : [join(root, "sys/fs/cgroup/memory", memory, "memory.oom_control")]),
    // In a container the group's own folder is the root of what can be seen.
    ...(memory === undefined ? [] : [join(root, "sys/fs/cgroup/memory/memory.oom_control")]),
    join(root, "proc/vmstat"),
  ];
}

/** Empty if the file is not there. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
