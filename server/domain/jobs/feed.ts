import { setImmediate as nextTurn } from "node:timers/promises";
import type { JobId, WorkspaceId } from "../ids.ts";
import type { Metadata } from "../ports/metadata.ts";
import type { Job } from "./job.ts";
import { type JobView, viewJobs } from "./view.ts";

/** Publishes the states of jobs to any number of followers; only the feed reads the store. */
export interface JobFeed {
  /**
   * Begins to follow a job of the workspace, with its present state, until the signal is aborted. Undefined if the
   * workspace has no such job.
   */
  follow(workspaceId: WorkspaceId, id: JobId, signal: AbortSignal): Promise<FollowedJob | undefined>;
}

/** A job as one follower sees it. A slow follower misses intermediate states and delays no other. */
export interface FollowedJob {
  /** The latest known state; undefined if the job no longer exists. */
  readonly state: JobView | undefined;
  /** Resolves when the state differs from the last one read, or after `withinMs`. Throws the signal's reason. */
  change(withinMs: number): Promise<void>;
  leave(): void;
}

type FeedStores = Pick<Metadata, "jobs" | "pages" | "datasets">;

interface FeedOptions {
  /** Interval between reads of the revisions of all followed jobs, ms; short enough to look live. */
  readonly pollMs?: number;
}

const defaultPollMs = 200;
/** Number of failed reads in a row before followers get the error: five seconds. */
const maxFailedLooks = 25;
/** Followers that are woken in one turn of the event loop: each has a state to write. */
const wokenTogether = 64;

interface Topic {
  readonly workspaceId: WorkspaceId;
  readonly id: JobId;
  /** Undefined until it is read. */
  revision: number | undefined;
  state: JobView | undefined;
  followers: number;
  readonly waiting: Set<PromiseWithResolvers<void>>;
}

/**
 * Reads the revisions of all followed jobs with one query, and then the jobs that have changed. A new follower
 * causes a fresh read, which all followers that join at the same time share.
 */
export function createJobFeed(metadata: FeedStores, { pollMs = defaultPollMs }: FeedOptions = {}): JobFeed {
  const topics = new Map<string, Topic>();
  let running: Promise<void> = Promise.resolve();
  let queued: Promise<void> | undefined;
  let isPolling = false;
  let failedLooks = 0;

  async function look(): Promise<void> {
    if (topics.size > 0) void wake(await readChanged(metadata, [...topics.values()]));
  }

  /** Starts a read that begins after the call; concurrent calls share it. */
  function lookAfresh(): Promise<void> {
    queued ??= Promise.allSettled([running, nextTurn()]).then(() => {
      queued = undefined;
      running = look();
      return running;
    });
    return queued;
  }

  async function poll(): Promise<void> {
    if (isPolling) return;
    isPolling = true;
    try {
      while (topics.size > 0) {
        await new Promise((resolve) => setTimeout(resolve, pollMs).unref());
        await lookAfresh().then(
          () => (failedLooks = 0),
          (cause: unknown) => {
            failedLooks += 1;
            if (failedLooks >= maxFailedLooks) fail(topics.values(), cause);
          },
        );
      }
    } finally {
      isPolling = false;
    }
  }

  function enter(workspaceId: WorkspaceId, id: JobId): { readonly topic: Topic; leave(): void } {
    const key = `${workspaceId}/${id}`;
    const known = topics.get(key);
    const topic = known ?? { workspaceId, id, revision: undefined, state: undefined, followers: 0, waiting: new Set() };
    topics.set(key, topic);
    topic.followers += 1;
    let isIn = true;
    return {
      topic,
      leave() {
        if (!isIn) return;
        isIn = false;
        topic.followers -= 1;
        if (topic.followers === 0) topics.delete(key);
      },
    };
  }

  return {
    async follow(workspaceId, id, signal) {
      const { topic, leave } = enter(workspaceId, id);
      try {
        await lookAfresh();
        signal.throwIfAborted();
      } catch (cause) {
        leave();
        throw cause;
      }
      if (topic.state === undefined) {
        leave();
        return undefined;
      }
      void poll();
      return followed(topic, signal, leave);
    },
  };
}

/** Reads the jobs that have changed since they were last read into their topics, and returns these topics. */
async function readChanged({ jobs, pages, datasets }: FeedStores, all: readonly Topic[]): Promise<readonly Topic[]> {
  const revisions = await jobs.revisions([...new Set(all.map(({ id }) => id))]);
  const changed = all.filter((topic) => topic.revision !== revisions.get(topic.id) || topic.revision === undefined);
  const found: Job[] = [];
  for (const { workspaceId, id } of changed) {
    const job = revisions.has(id) ? await jobs.get(workspaceId, id) : undefined;
    if (job !== undefined) found.push(job);
  }
  const views = new Map(
    (found.length > 0 ? await viewJobs({ pages, datasets }, found) : []).map((view) => [view.id, view]),
  );
  for (const topic of changed) {
    const view = views.get(topic.id);
    topic.state = view?.workspaceId === topic.workspaceId ? view : undefined;
    // The row may have changed again since its revision was read.
    topic.revision = topic.state?.revision ?? revisions.get(topic.id);
  }
  return changed;
}

async function wake(changed: readonly Topic[]): Promise<void> {
  const woken = changed.flatMap(({ waiting }) => [...waiting]);
  for (const { waiting } of changed) waiting.clear();
  for (let from = 0; from < woken.length; from += wokenTogether) {
    for (const { resolve } of woken.slice(from, from + wokenTogether)) resolve();
    await nextTurn();
  }
}

function fail(topics: Iterable<Topic>, cause: unknown): void {
  for (const { waiting } of topics) {
    for (const { reject } of waiting) reject(cause);
    waiting.clear();
  }
}

/** The topic as one follower sees it. */
function followed(topic: Topic, signal: AbortSignal, leave: () => void): FollowedJob {
  let last: JobView | undefined = topic.state;
  return {
    get state() {
      return (last = topic.state);
    },
    async change(withinMs) {
      signal.throwIfAborted();
      if (topic.state !== last) return;
      await waitIn(topic.waiting, withinMs, signal);
    },
    leave,
  };
}

async function waitIn(waiting: Topic["waiting"], withinMs: number, signal: AbortSignal): Promise<void> {
  const change = Promise.withResolvers<void>();
  const timer = setTimeout(change.resolve, withinMs);
  const abort = (): void => change.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  waiting.add(change);
  try {
    await change.promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    waiting.delete(change);
  }
}
