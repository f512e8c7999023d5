import { randomBytes } from "node:crypto";
import { hostname } from "node:os";

/** Names one run of one worker process, as the holder of leases. */
export function newOwner(): string {
  return `${hostname()}:${process.pid}:${randomBytes(4).toString("hex")}`;
}
