import type { Logger } from "pino";
import type { LeaderLeaseName, LeaderLeaseStore } from "../../../domain/ports/metadata.ts";
import { storageFaultOf } from "../../../domain/storage-fault.ts";
import { logFault } from "../../../logging/log-fault.ts";

/** The lease of the leading process, as seen by a process that may hold it. */
interface LeaderLease {
  /** Whether this process holds it now. */
  isHeld(): boolean;
  /** Asks the process that holds the lease to do the work soon. */
  request(): void;
  /** Releases the lease, so that another process can acquire it. */
  stop(): Promise<void>;
}

interface Options {
  readonly name: LeaderLeaseName;
  /** Identifies this run of the process. */
  readonly holder: string;
  /** Called when another process has requested the work. */
  readonly onRequested: () => void;
  readonly log: Logger;
}

/** Duration of the lease. If the holder dies without releasing it, nobody does the work for this long. */
const holdMs = 15_000;
/** Interval of renewals, several of which fit into the lease's duration. It is also the delay until the holder sees a request. */
const renewMs = 3_000;
/** The process considers its lease expired this much earlier than the store does. */
const marginMs = 2_000;

/** Acquires the lease as soon as no other process holds it, and renews it until it is stopped. */
export function startLeaderLease(store: LeaderLeaseStore, { name, holder, onRequested, log }: Options): LeaderLease {
  let heldUntil = -Infinity;
  let isElsewhere = false;
  /** The number of requests by other processes that this process has handled. */
  let handledRequests = 0;
  let asking = false;
  let stopped = false;
  const isHeld = (): boolean => performance.now() < heldUntil;

  async function renew(): Promise<void> {
    const until = performance.now() + holdMs - marginMs;
    try {
      const held = await store.hold(name, holder, holdMs);
      isElsewhere = held === undefined;
      heldUntil = isElsewhere || stopped ? -Infinity : until;
      if (held === undefined || held.requests === handledRequests) return;
      handledRequests = held.requests;
      onRequested();
    } catch (cause) {
      // The holder frees disk space, so it must continue even if the disk is too full to renew its lease.
      if (storageFaultOf(cause) === "full" && !isElsewhere && !stopped) heldUntil = until;
      logFault(log, "warn", { err: cause, duty: name }, "leader lease not renewed; trying again");
    }
  }

  async function ask(): Promise<void> {
    asking = true;
    try {
      await store.request(name);
    } catch (cause) {
      logFault(
        log,
        "warn",
        { err: cause, duty: name },
        "the holder of a leader lease could not be asked to do its work",
      );
    } finally {
      asking = false;
    }
  }

  let renewing = renew();
  const timer = setInterval(() => {
    renewing = renewing.then(renew);
  }, renewMs);

  return {
    isHeld,
    request() {
      if (!asking) void ask();
    },
    async stop() {
      clearInterval(timer);
      stopped = true;
      await renewing;
      heldUntil = -Infinity;
      await store
        .release(holder)
        .catch((err: unknown) => logFault(log, "warn", { err }, "leader lease not released; it will expire"));
    },
  };
}
