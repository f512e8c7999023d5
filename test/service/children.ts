import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The process ids of the living children of a process whose command line has these words. */
export function childrenOf(pid: number, words = ""): readonly number[] {
  try {
    const lines = execFileSync("pgrep", ["-P", String(pid), ...(words === "" ? [] : ["-f", words])], {
      encoding: "utf8",
    });
    return lines.trim().split("\n").map(Number);
  } catch {
    return [];
  }
}

/** Whether a process still runs; one that has ended and is not yet waited for does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch (cause) {
    return cause instanceof Error && "code" in cause && cause.code === "ENOENT" && process.platform !== "linux";
  }
}

/** The sockets that a process has open, as `socket:[inode]`. Linux only. */
export function socketsOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  const links = readdirSync(folder).flatMap((fd) => {
    try {
      return [readlinkSync(`${folder}/${fd}`)];
    } catch {
      return [];
    }
  });
  return links.filter((link) => link.startsWith("socket:"));
}
