import type { Lease } from "../../domain/ports/jobs.ts";

/** Duration of a lease. If a worker does not renew its lease on a job, another worker may continue the job after this time. */
export const leaseMs = 15_000;
/**
 * Interval of renewals. Several fit into a lease, so that a short delay does not lose it. It is also the delay until a
 * cancellation takes effect.
 */
const renewMs = 1_000;

/** The claim is over: the job, or index, was cancelled, deleted with its dataset, or claimed again after a long silence. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** A lease on a job or an index, which only one worker at a time processes. */
export interface HeldLease<Held = Lease> {
  readonly lease: Held;
  /** Aborts with `LeaseLost` as soon as the loss is known. */
  readonly lost: AbortSignal;
  /** Checks now whether the lease still holds. */
  check(): Promise<void>;
  /** Throws `LeaseLost` unless the write succeeded. */
  confirm(written: Promise<boolean>): Promise<void>;
  /** Ends the renewals. */
  stop(): void;
}

/** Keeps a lease alive until it is stopped. */
export function holdLease<Held>(
  store: { renew(lease: Held, leaseMs: number): Promise<boolean> },
  lease: Held,
): HeldLease<Held> {
  const controller = new AbortController();
  const lose = (): LeaseLost => {
    const reason = new LeaseLost(`the claim is over: ${JSON.stringify(lease)}`);
    controller.abort(reason);
    return reason;
  };
  const check = async (): Promise<void> => {
    if (!controller.signal.aborted && !(await store.renew(lease, leaseMs))) lose();
  };
  // A failed renewal is not final: the next one may succeed, and if none does, the lease expires by itself.
  const timer = setInterval(() => void check().catch(() => undefined), renewMs);
  return {
    lease,
    lost: controller.signal,
    check,
    async confirm(written) {
      if (!(await written)) throw lose();
    },
    stop: () => clearInterval(timer),
  };
}

/** Records in the lease's row which pages are being processed, so that they become suspects if the process ends. */
export interface InFlight {
  start(pages: readonly number[]): Promise<void>;
  /** Removes a page, which is no longer suspect because its thread has returned it. */
  end(page: number): void;
  clear(): Promise<void>;
}

export function trackInFlight<Held>(
  store: { setInFlight(lease: Held, pages: readonly number[]): Promise<boolean> },
  held: HeldLease<Held>,
): InFlight {
  const pages = new Set<number>();
  const write = (): Promise<void> => held.confirm(store.setInFlight(held.lease, [...pages]));
  return {
    async start(started) {
      for (const page of started) pages.add(page);
      await write();
    },
    end: (page) => void pages.delete(page),
    async clear() {
      pages.clear();
      await write();
    },
  };
}
