import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

/** Identifies one run of one worker process as the owner of leases, by host and process. */
export function newOwner(): string {
  return `${hostname()}:${process.pid}:${randomBytes(4).toString("hex")}`;
}

/**
 * Whether the process that `newOwner` identified has ended. This is known only for the same host; for others the
 * answer is false. Call it only before this process has named an owner: an owner with this process's own number is
 * then an earlier process, as happens in containers.
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
    // EPERM means that it runs as another user.
    return !(cause instanceof Error && "code" in cause && cause.code === "ESRCH");
  }
}
