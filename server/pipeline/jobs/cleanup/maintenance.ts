import type { Logger } from "pino";
import { logFault } from "../../../logging/log-fault.ts";

export interface Maintenance {
  /**
   * Requests maintenance soon, because the store has changed. `onDone` is called once the disk space is free, which takes two
   * rounds, but not if the process stops before that.
   */
  request(onDone?: () => void): void;
  /** Ends the running round and starts no further one. */
  stop(): Promise<void>;
}

interface Options {
  /** The name of the store in the log. */
  readonly name: string;
  readonly log: Logger;
}

/** Delay before a round, so that many small jobs in a row share it. */
const settleMs = 3_000;
/** Maximum delay, because a stream of jobs that never pauses must not postpone maintenance forever. */
const maxWaitMs = 60_000;
/** Time for which replaced versions remain for their readers, as in the vector store. A later round removes them. */
const retentionMs = 5_000;
const followUpMs = retentionMs + 1_000;

interface Request {
  readonly onDone: (() => void) | undefined;
  /** The time of the request or, after its first round, the end of that round. */
  since: number;
  hadRound: boolean;
}

/** Starts the task that maintains a store and frees disk space; its rounds never overlap. */
export function startMaintenance(
  maintain: (signal: AbortSignal) => Promise<void>,
  { name, log }: Options,
): Maintenance {
  const stopping = new AbortController();
  const requests = new Set<Request>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  function schedule(ms: number): void {
    clearTimeout(timer);
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      timer = undefined;
      running = running.then(round);
    }, ms);
  }

  async function round(): Promise<void> {
    const startedAt = performance.now();
    const served = [...requests];
    let nextMs = followUpMs;
    try {
      await maintain(stopping.signal);
      for (const request of served) settle(request, startedAt);
    } catch (cause) {
      nextMs = maxWaitMs;
      logFault(log, "warn", { err: cause }, `maintenance of the ${name} failed; it is tried again in a minute`);
    }
    if (timer === undefined && requests.size > 0) schedule(nextMs);
  }

  function settle(request: Request, roundStartedAt: number): void {
    if (!request.hadRound) {
      request.hadRound = true;
      request.since = performance.now();
    } else if (roundStartedAt >= request.since + retentionMs) {
      requests.delete(request);
      request.onDone?.();
    }
  }

  return {
    request(onDone) {
      const now = performance.now();
      requests.add({ onDone, since: now, hadRound: false });
      const longestWaiting = Math.min(...Array.from(requests, ({ since }) => since));
      schedule(Math.max(0, Math.min(settleMs, longestWaiting + maxWaitMs - now)));
    },
    async stop() {
      stopping.abort(new Error("the worker is stopping"));
      clearTimeout(timer);
      await running;
    },
  };
}
