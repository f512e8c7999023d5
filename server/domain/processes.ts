import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

/** Identifies one run of one worker process as the owner of leases, by host and process. */
export function newOwner(): string {
  return `${hostname()}:${process.pid}:${randomBytes(4).toString("hex")}`;
}

/**
 * Whether the process that `newOwner` identified has ended. This is known only for the same host; for others the
 * answer is false. It is meant for a process that has not named an owner yet: an owner with its own process number
 * is an earlier process, as in containers.
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
