import { DomainError, unavailable, unprocessable } from "../../domain/errors.ts";
import type { CallFailure, FromWorker, ToWorker, WorkerCall, WorkerResult } from "./messages.ts";

/** The connection to one worker process. */
export interface Link {
  send(message: ToWorker): void;
}

/** Calls to a worker process that may end and be replaced while they wait. */
export interface Calls {
  /** Throws what the worker throws, `unavailable` if no worker answers in time, and the signal's reason. */
  call(call: WorkerCall, signal?: AbortSignal): Promise<WorkerResult>;
  /** A worker is ready: new calls go to it, and those that no worker has. What another has stays there. */
  attach(link: Link): void;
  receive(message: Extract<FromWorker, { id: number }>): void;
  /** The worker has ended: its calls go to the next one. `isFault`: they may be the cause, and fail after two such ends. */
  detach(link: Link, isFault: boolean): void;
  /** No worker will be started any more. */
  close(): void;
}

interface Waiting {
  call: WorkerCall;
  readonly settled: PromiseWithResolvers<WorkerResult>;
  /** The worker that has it; undefined: it waits for one. */
  at: Link | undefined;
  /** Workers that crashed while they had it, and may have crashed over it. */
  faults: number;
  /** Runs while no worker has it. */
  timer: NodeJS.Timeout | undefined;
}

/** A call during which two workers crashed is likely the cause, and is not given to a third. */
const maxFaults = 2;
/** How long a call waits for a worker to start, which takes a second or two. */
const waitMs = 20_000;
/** For what precedes a page's own time, such as the loading of a pack or earlier calls. */
const queueMs = 60_000;
/** Large packs are read whole, from a disk of any speed. */
const tryPackMs = 15 * 60_000;

/** The longest time that a call may take from first to last, whatever becomes of workers meanwhile; milliseconds. */
export function deadlineMs(method: WorkerCall["method"], pageTimeoutMs: number): number {
  // A page that runs short of memory is tried once more.
  if (method === "tryPack") return tryPackMs;
  return queueMs + 2 * pageTimeoutMs;
}

export interface CallsOptions {
  readonly pageTimeoutMs: number;
  /** Instead of the deadline of each method; set by tests. */
  readonly callTimeoutMs?: number | undefined;
}

export function createCalls({ pageTimeoutMs, callTimeoutMs }: CallsOptions): Calls {
  const waiting = new Map<number, Waiting>();
  let current: Link | undefined;
  let lastId = 0;

  /** Gives a call to the current worker, or lets it wait for one. */
  function pass(id: number, entry: Waiting): void {
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
      const entry: Waiting = { call, settled, at: undefined, faults: 0, timer: undefined };
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

/** A page is drawn in a process of its own from then on, where it ends no worker and fails only by its own fault. */
function suspect(entry: Waiting): void {
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
