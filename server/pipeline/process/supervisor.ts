import { noTracing, type Tracing } from "../../domain/ports/tracing.ts";
import type { PageWorker } from "../../domain/ports/worker.ts";
import { type Calls, createCalls } from "./calls.ts";
import { defaultMemoryPace } from "./memory/watch.ts";
import {
  type KeeperOptions,
  type KeeperPace,
  WorkerKeeper,
  type WorkerState,
  type WorkerStats,
} from "./worker-keeper.ts";

export interface Supervisor extends PageWorker {
  state(): WorkerState;
  stats(): WorkerStats;
  /** Resolves when the first worker is ready. Rejects if the worker ends before that. */
  readonly started: Promise<void>;
  /**
   * Claims no more jobs: the worker finishes the current pages and gives its jobs back, while calls continue. Resolves when that
   * is done, or after `withinMs`; it then continues in the background.
   */
  giveBack(withinMs: number): Promise<void>;
  /** Lets the worker finish its unavoidable work and exit; kills it after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** Time limits of a supervisor, in milliseconds. */
export interface SupervisionTimeouts extends KeeperPace {
  /** Maximum time of a call; undefined for the default of its kind. */
  readonly callMs: number | undefined;
}

interface SupervisorOptions extends KeeperOptions {
  /** Traces the callers of the worker. Default: none. */
  readonly tracing?: Tracing;
  /** Set by tests. */
  readonly pace?: Partial<SupervisionTimeouts> | undefined;
}

/**
 * Default time limits. A worker is killed after half a minute without an answer: its main thread does little work itself, but
 * synchronous parts of the stores or heavy load on the machine may block it.
 */
const defaultPace: SupervisionTimeouts = {
  startMs: 120_000,
  pingMs: 3_000,
  maxMisses: 10,
  memory: defaultMemoryPace,
  replaceMs: 5 * 60_000,
  retireMs: 60_000,
  callMs: undefined,
};

/** Keeps one worker process alive and passes calls to it, even across restarts. */
export function startSupervisor({ pace: given, tracing = noTracing, ...options }: SupervisorOptions): Supervisor {
  const pace = { ...defaultPace, ...given };
  const calls = createCalls({ pageTimeoutMs: options.settings.pageTimeoutMs, callTimeoutMs: pace.callMs });
  const keeper = new WorkerKeeper(options, pace, calls);
  return {
    ...callsToWorker(calls, tracing),
    wake: () => keeper.wake(),
    state: () => keeper.state(),
    stats: () => keeper.stats(),
    started: keeper.started,
    giveBack: (withinMs) => keeper.giveBack(withinMs),
    async stop(graceMs) {
      await keeper.stop(graceMs);
      calls.close();
    },
  };
}

function callsToWorker(calls: Calls, tracing: Tracing): Omit<PageWorker, "wake"> {
  return {
    async render(page, signal) {
      await calls.call({ method: "render", page, traceparent: tracing.traceparent() }, signal);
    },
    async highlight(page, signal) {
      const result = await calls.call({ method: "highlight", page, traceparent: tracing.traceparent() }, signal);
      if (result.method !== "highlight") throw new Error("the worker answered another call");
      return result.highlights;
    },
    async embedQuery(query, signal) {
      const result = await calls.call({ method: "embedQuery", query, traceparent: tracing.traceparent() }, signal);
      if (result.method !== "embedQuery") throw new Error("the worker answered another call");
      return result.query;
    },
    async tryPack(model, signal) {
      await calls.call({ method: "tryPack", model, traceparent: tracing.traceparent() }, signal);
    },
  };
}
