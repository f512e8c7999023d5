import type { Caller } from "../caller.ts";
import { rateLimited, unavailable } from "../errors.ts";

/**
 * Limits concurrent searches; waiting ones are served in turn by organisation, and within an organisation by
 * caller.
 */
export interface SearchQueue {
  /**
   * Runs the work when its turn has come. Throws `unavailable` if that takes too long, `rate_limited` if too many
   * searches wait and no organisation has more of them than the caller's, and the signal's reason.
   */
  take<Result>(caller: Caller, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;
  /** Number of waiting searches. */
  readonly waiting: number;
}

interface TurnLimits {
  readonly maxAtWork?: number;
  readonly maxWaiting?: number;
  readonly deadlineMs?: number;
}

/** Twice the worker's threads for queries: while it embeds one query, the index searches for another. */
const defaultMaxAtWork = 4;
/** Some ten seconds of searches. */
const defaultMaxWaiting = 256;
/** People and load balancers do not wait much longer. */
const defaultDeadlineMs = 15_000;
const retryAfterSeconds = 2;

type Turn = PromiseWithResolvers<void>;
/** Waiting searches by caller, first come, first served; the next caller comes first. */
type Queues = Map<string, Turn[]>;

export function createSearchQueue({
  maxAtWork = defaultMaxAtWork,
  maxWaiting = defaultMaxWaiting,
  deadlineMs = defaultDeadlineMs,
}: TurnLimits = {}): SearchQueue {
  const waiting = createWaiting();
  let atWork = 0;

  function letIn(): void {
    if (atWork >= maxAtWork) return;
    const turn = waiting.takeNext();
    if (turn === undefined) return;
    atWork += 1;
    turn.resolve();
  }

  async function wait(organisation: string, caller: string, signal: AbortSignal): Promise<void> {
    if (waiting.count === 0 && atWork < maxAtWork) {
      atWork += 1;
      return;
    }
    if (waiting.count >= maxWaiting) waiting.makeRoom(organisation);
    const turn = waiting.join(organisation, caller);
    const abort = (): void => turn.reject(signal.reason);
    const late = setTimeout(() => turn.reject(tooLate(deadlineMs)), deadlineMs);
    signal.addEventListener("abort", abort, { once: true });
    letIn();
    try {
      await turn.promise;
    } finally {
      clearTimeout(late);
      signal.removeEventListener("abort", abort);
      waiting.leave(organisation, caller, turn);
    }
  }

  return {
    get waiting() {
      return waiting.count;
    },
    async take({ organisationId, actor }, signal, work) {
      signal.throwIfAborted();
      await wait(organisationId, actor.kind === "key" ? actor.keyId : actor.memberId, signal);
      try {
        return await work();
      } finally {
        atWork -= 1;
        letIn();
      }
    },
  };
}

/** Waiting searches in the order in which they are served. */
function createWaiting() {
  /** The next organisation comes first. */
  const organisations = new Map<string, Queues>();
  let count = 0;

  function join(organisation: string, caller: string): Turn {
    const turn = Promise.withResolvers<void>();
    const queues = organisations.get(organisation) ?? new Map<string, Turn[]>();
    queues.set(caller, [...(queues.get(caller) ?? []), turn]);
    organisations.set(organisation, queues);
    count += 1;
    return turn;
  }

  function leave(organisation: string, caller: string, turn: Turn): void {
    const queues = organisations.get(organisation);
    const queue = queues?.get(caller);
    if (queues === undefined || queue === undefined || !queue.includes(turn)) return;
    count -= 1;
    const left = queue.filter((other) => other !== turn);
    if (left.length > 0) queues.set(caller, left);
    else queues.delete(caller);
    if (queues.size === 0) organisations.delete(organisation);
  }

  return {
    get count() {
      return count;
    },
    join,
    leave,

    /** Removes the next search, and moves its caller and organisation to the end of their queues. */
    takeNext(): Turn | undefined {
      const [organisation, queues] = organisations.entries().next().value ?? [];
      const [caller, queue] = queues?.entries().next().value ?? [];
      const turn = queue?.[0];
      if (organisation === undefined || queues === undefined || caller === undefined || turn === undefined)
        return undefined;
      leave(organisation, caller, turn);
      const left = queues.get(caller);
      if (left !== undefined) {
        queues.delete(caller);
        queues.set(caller, left);
      }
      if (organisations.delete(organisation)) organisations.set(organisation, queues);
      return turn;
    },

    /**
     * Rejects the last search of the organisation with the most, so that one of the given organisation can wait.
     * Throws `rate_limited` if that organisation has the most itself.
     */
    makeRoom(organisation: string): void {
      const counts = [...organisations].map(([id, queues]) => ({ id, queues, count: countOf(queues) }));
      const [longest] = counts.toSorted((one, other) => other.count - one.count);
      const own = counts.find(({ id }) => id === organisation)?.count ?? 0;
      if (longest === undefined || own >= longest.count) throw tooMany(own);
      const [last] = [...longest.queues].toSorted(([, one], [, other]) => other.length - one.length);
      const turn = last?.[1].at(-1);
      if (last === undefined || turn === undefined) return;
      leave(longest.id, last[0], turn);
      turn.reject(tooMany(longest.count));
    },
  };
}

function countOf(queues: Queues): number {
  return [...queues.values()].reduce((sum, { length }) => sum + length, 0);
}

function tooMany(count: number): Error {
  const sentence = `${count} searches of your organisation wait already, more than the server can take; try again soon`;
  return rateLimited(sentence, { retryAfterSeconds });
}

function tooLate(deadlineMs: number): Error {
  const sentence = `the search has waited ${deadlineMs / 1000} seconds for others; try again in a moment`;
  return unavailable(sentence, { retryAfterSeconds });
}
