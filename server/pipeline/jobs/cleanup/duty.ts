import type { Logger } from "pino";
import type { DutyName, DutyStore } from "../../../domain/ports/duties.ts";
import { storageFaultOf } from "../../../domain/storage-fault.ts";
import { logFault } from "../../../log-fault.ts";

/** Something that one process at a time does, as one of those sees it that may. */
export interface Duty {
  /** Whether it is this process's now. */
  isHeld(): boolean;
  /** Asks whichever process has it to do the work soon. */
  request(): void;
  /** Leaves it to another process. */
  stop(): Promise<void>;
}

interface Options {
  readonly name: DutyName;
  /** This run of the process. */
  readonly holder: string;
  /** Another process has asked for the work. */
  readonly onRequested: () => void;
  readonly log: Logger;
}

/** So long nothing is done when a process dies that nobody saw die. */
const holdMs = 15_000;
/** Several renewals fit into a hold; also how soon a request of another process is seen. */
const renewMs = 3_000;
/** The process stops believing in a hold before the store does. */
const marginMs = 2_000;

/** Takes the duty as soon as no other process has it, and keeps it until it is stopped. */
export function takeDuty(store: DutyStore, { name, holder, onRequested, log }: Options): Duty {
  let heldUntil = -Infinity;
  let isElsewhere = false;
  /** Of the requests of others, those that have been heard. */
  let heard = 0;
  let asking = false;
  let stopped = false;
  const isHeld = (): boolean => performance.now() < heldUntil;

  async function renew(): Promise<void> {
    const until = performance.now() + holdMs - marginMs;
    try {
      const held = await store.hold(name, holder, holdMs);
      isElsewhere = held === undefined;
      heldUntil = isElsewhere || stopped ? -Infinity : until;
      if (held === undefined || held.requests === heard) return;
      heard = held.requests;
      onRequested();
    } catch (cause) {
      // The holder frees room: it must go on where the disk is so full that it cannot be entered as the holder.
      if (storageFaultOf(cause) === "full" && !isElsewhere && !stopped) heldUntil = until;
      logFault(log, "warn", { err: cause, duty: name }, "duty not renewed; trying again");
    }
  }

  async function ask(): Promise<void> {
    asking = true;
    try {
      await store.request(name);
    } catch (cause) {
      logFault(log, "warn", { err: cause, duty: name }, "the holder of a duty was not asked for it");
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
        .catch((err: unknown) => logFault(log, "warn", { err }, "duty not given back; it runs out"));
    },
  };
}
