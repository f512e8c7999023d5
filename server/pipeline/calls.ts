import { DomainError, unavailable, unprocessable } from "../domain/errors.ts";
import type { CallFailure, FromWorker, ToWorker, WorkerCall, WorkerResult } from "./messages.ts";

/** Calls to a worker process that may die and be replaced while they wait. */
export interface Calls {
  call(call: WorkerCall, signal?: AbortSignal): Promise<WorkerResult>;
  /** A worker is ready: calls that wait go to it, and new ones at once. */
  attach(send: (message: ToWorker) => void): void;
  receive(message: FromWorker): void;
  /** The worker has died: its calls wait for the next one, unless they have seen too many die. */
  detach(): void;
  /** No worker will come any more. */
  close(): void;
}

interface Waiting {
  readonly call: WorkerCall;
  readonly settled: PromiseWithResolvers<WorkerResult>;
  deaths: number;
}

/** A call that two workers died over is to blame, or close enough to it, not to take a third one down. */
const maxDeaths = 2;
/** How long a call waits for a worker to come up; a start takes a second or two. */
const waitMs = 20_000;

export function createCalls(): Calls {
  const waiting = new Map<number, Waiting>();
  let send: ((message: ToWorker) => void) | undefined;
  let lastId = 0;

  return {
    async call(call, signal) {
      signal?.throwIfAborted();
      const id = ++lastId;
      const entry: Waiting = { call, settled: Promise.withResolvers<WorkerResult>(), deaths: 0 };
      waiting.set(id, entry);
      const abort = (): void => {
        send?.({ kind: "abort", id });
        entry.settled.reject(signal?.reason);
      };
      signal?.addEventListener("abort", abort, { once: true });
      const patience = setTimeout(() => {
        if (send === undefined)
          entry.settled.reject(unavailable("the page worker is not ready; try again in a moment"));
      }, waitMs);
      send?.({ kind: "call", id, call });
      try {
        return await entry.settled.promise;
      } finally {
        clearTimeout(patience);
        signal?.removeEventListener("abort", abort);
        waiting.delete(id);
      }
    },
    attach(to) {
      send = to;
      for (const [id, { call }] of waiting) to({ kind: "call", id, call });
    },
    receive(message) {
      if (message.kind === "ready") return;
      const entry = waiting.get(message.id);
      if (message.kind === "result") entry?.settled.resolve(message.result);
      else entry?.settled.reject(errorOf(message.failure));
    },
    detach() {
      send = undefined;
      for (const entry of waiting.values()) {
        entry.deaths += 1;
        if (entry.deaths >= maxDeaths) entry.settled.reject(deadly(entry.call));
      }
    },
    close() {
      send = undefined;
      for (const { settled } of waiting.values()) settled.reject(unavailable("the server is shutting down"));
    },
  };
}

function deadly(call: WorkerCall): DomainError {
  switch (call.method) {
    case "render":
      return unprocessable(`page ${call.page.page} cannot be shown: the worker process died over it`);
    case "embedQuery":
      return unavailable("the worker process died over this query; try again in a moment");
    case "tryPack":
      return unprocessable(`the model pack ${call.model} cannot be used: the worker process died over it`);
  }
}

function errorOf({ kind, message }: CallFailure): Error {
  return kind === undefined ? new Error(`in the worker process: ${message}`) : new DomainError(kind, message);
}
