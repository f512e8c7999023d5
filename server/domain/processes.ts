import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

/** Names one run of one worker process, as the owner of leases: its host, and the process that answers for it. */
export function newOwner(): string {
  return `${hostname()}:${process.pid}:${randomBytes(4).toString("hex")}`;
}

/**
 * Whether the process that `newOwner` named has ended. Only of this host is that known; of others the answer is no. For a
 * process that has named no owner yet: one with its own number is an earlier one, as in containers.
 */
export function hasEnded(owner: string): boolean {
  const [host, pid] = owner.split(":");
  return host === hostname() && (Number(pid) === process.pid || !isAlive(Number(pid)));
}

/** Whether a process of this host runs. */
export function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    // EPERM: it lives, and is another user's.
    return !(cause instanceof Error && "code" in cause && cause.code === "ESRCH");
  }
}
