import { DomainError, unavailable, unprocessable } from "../../domain/errors.ts";
import type { CallFailure, FromWorker, ToWorker, WorkerCall, WorkerResult } from "./messages.ts";

/** The connection to one worker process. */
export interface Link {
  send(message: ToWorker): void;
}

/** Calls to a worker process, which may end and be replaced while the calls wait. */
export interface Calls {
  /** Throws the worker's error, `unavailable` if no worker answers in time, and the signal's reason. */
  call(call: WorkerCall, signal?: AbortSignal): Promise<WorkerResult>;
  /** Sends new and unassigned calls to a worker that is ready. Calls that another worker has stay with it. */
  attach(link: Link): void;
  receive(message: Extract<FromWorker, { id: number }>): void;
  /**
   * Moves the calls of a worker that has ended to the next one. If `isFault`, a call may be the cause, and fails after two
   * faults.
   */
  detach(link: Link, isFault: boolean): void;
  /** Rejects all calls, because no worker will be started any more. */
  close(): void;
}

interface PendingCall {
  call: WorkerCall;
  readonly settled: PromiseWithResolvers<WorkerResult>;
  /** The worker that has the call; undefined while the call waits for one. */
  at: Link | undefined;
  /** The number of workers that crashed while they had the call, possibly because of it. */
  faults: number;
  /** Runs while no worker has the call. */
  timer: NodeJS.Timeout | undefined;
}

/** Number of crashes after which a call is no longer given to another worker, because it is probably the cause. */
const maxFaults = 2;
/** Maximum wait of a call for a worker, which takes a second or two to start. */
const waitMs = 20_000;
/** Time for everything that precedes a page's own time, such as loading a pack or earlier calls. */
const queueMs = 60_000;
/** Time limit of testing a pack: large packs are read completely, possibly from a slow disk. */
const tryPackMs = 15 * 60_000;

/** Returns the maximum time of a call in milliseconds, including the replacement of workers. */
export function deadlineMs(method: WorkerCall["method"], pageTimeoutMs: number): number {
  // Twice the page's time, because a page that runs short of memory is tried once more.
  if (method === "tryPack") return tryPackMs;
  return queueMs + 2 * pageTimeoutMs;
}

interface CallsOptions {
  readonly pageTimeoutMs: number;
  /** Replaces the deadline of each method; set by tests. */
  readonly callTimeoutMs?: number | undefined;
}

export function createCalls({ pageTimeoutMs, callTimeoutMs }: CallsOptions): Calls {
  const waiting = new Map<number, PendingCall>();
  let current: Link | undefined;
  let lastId = 0;

  /** Gives a call to the current worker, or lets it wait for one. */
  function pass(id: number, entry: PendingCall): void {
    clearTimeout(entry.timer);
    entry.at = current;
    if (current !== undefined) return current.send({ kind: "call", id, call: entry.call });
    entry.timer = setTimeout(
      () => entry.settled.reject(unavailable("the page worker is not ready; try again in a moment")),
      waitMs,
    );
  }

  return {
    async call(call, signal) {
      signal?.throwIfAborted();
      const id = ++lastId;
      const settled = Promise.withResolvers<WorkerResult>();
      const entry: PendingCall = { call, settled, at: undefined, faults: 0, timer: undefined };
      waiting.set(id, entry);
      const giveUp = (reason: unknown): void => {
        entry.at?.send({ kind: "abort", id });
        settled.reject(reason);
      };
      const abort = (): void => giveUp(signal?.reason);
      signal?.addEventListener("abort", abort, { once: true });
      const deadline = setTimeout(() => giveUp(late(call)), callTimeoutMs ?? deadlineMs(call.method, pageTimeoutMs));
      pass(id, entry);
      try {
        return await settled.promise;
      } finally {
        clearTimeout(deadline);
        clearTimeout(entry.timer);
        signal?.removeEventListener("abort", abort);
        waiting.delete(id);
      }
    },
    attach(link) {
      current = link;
      for (const [id, entry] of waiting) if (entry.at === undefined) pass(id, entry);
    },
    receive(message) {
      const entry = waiting.get(message.id);
      if (message.kind === "result") entry?.settled.resolve(message.result);
      else entry?.settled.reject(errorOf(message.failure));
    },
    detach(link, isFault) {
      if (current === link) current = undefined;
      for (const [id, entry] of waiting) {
        if (entry.at !== link) continue;
        if (isFault) suspect(entry);
        if (entry.faults >= maxFaults) entry.settled.reject(deadly(entry.call));
        else pass(id, entry);
      }
    },
    close() {
      current = undefined;
      for (const { settled } of waiting.values()) settled.reject(unavailable("the server is shutting down"));
    },
  };
}

/**
 * Marks a call as suspect. Its page is then drawn in a separate process, where it crashes no worker and fails only by its own
 * fault.
 */
function suspect(entry: PendingCall): void {
  if (entry.call.method === "render") entry.call = { ...entry.call, isSuspect: true };
  else entry.faults += 1;
}

function late(call: WorkerCall): DomainError {
  switch (call.method) {
    case "render":
    case "highlight":
      return unavailable(`page ${call.page.page} was not ready in time; try again in a moment`);
    case "embedQuery":
      return unavailable("the search took too long; try again in a moment");
    case "tryPack":
      return unavailable(`the model pack ${call.model} was not tried in time; try again in a moment`);
  }
}

function deadly(call: WorkerCall): DomainError {
  switch (call.method) {
    case "tryPack":
      return unprocessable(`the model pack ${call.model} cannot be used: the worker process crashed over it`);
    case "highlight":
      return unprocessable(`the words of page ${call.page.page} cannot be found: the worker process crashed over it`);
    default:
      return unavailable("the worker process crashed over this query; try again in a moment");
  }
}

function errorOf({ kind, message }: CallFailure): Error {
  return kind === undefined ? new Error(`in the worker process: ${message}`) : new DomainError(kind, message);
}
