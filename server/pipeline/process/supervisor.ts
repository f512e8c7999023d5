import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Settings } from "../../config.ts";
import type { Meter } from "../../domain/ports/meter.ts";
import { noTracing, type Tracing } from "../../domain/ports/tracing.ts";
import type { PageWorker } from "../../domain/ports/worker.ts";
import { newOwner } from "../../domain/processes.ts";
import { enterMeasured } from "../../metrics/relay.ts";
import { createCalls } from "./calls.ts";
import { defaultMemoryPace, type MemoryPace } from "./memory/watch.ts";
import { createReplacements } from "./replacements.ts";
import { startWorkerChild, type WorkerChild, type WorkerEnd, type WorkerPace } from "./worker-child.ts";

export interface Supervisor extends PageWorker {
  state(): WorkerState;
  stats(): WorkerStats;
  /** Resolves when the first worker is ready. Throws if it ends before. */
  readonly started: Promise<void>;
  /**
   * Takes no more jobs: the pages at work are finished and the jobs given back, while calls go on. Resolves when that is
   * done, or after the milliseconds, when it goes on.
   */
  giveBack(withinMs: number): Promise<void>;
  /** Lets the worker finish what it must and ends it; after the grace it is killed. */
  stop(graceMs: number): Promise<void>;
}

/** Whether there is a worker that answers, and if not, why: a few words. */
export type WorkerState = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/**
 * Why a worker was replaced. `fault`: it crashed; `killed`: from outside; `exit`: it ended of itself; `start`: it was not
 * ready in time; `hung`: it did not answer; `memory`: it held more than it may.
 */
export const restartReasons = ["fault", "killed", "exit", "start", "hung", "memory"] as const;
export type RestartReason = (typeof restartReasons)[number];

export interface WorkerStats {
  readonly restarts: Readonly<Record<RestartReason, number>>;
  readonly missedPings: number;
  /** Of the worker that takes calls; 0 while there is none. */
  readonly rssBytes: number;
}

/** Time limits of a supervisor; milliseconds. */
export interface SupervisionPace extends WorkerPace {
  readonly memory: MemoryPace;
  /** Between two replacements for memory, at least. */
  readonly replaceMs: number;
  /** How long a worker that has been replaced may take to finish its pages and calls. */
  readonly retireMs: number;
  /** Longest time for a call; undefined: by its kind. */
  readonly callMs: number | undefined;
}

export interface SupervisorOptions {
  /** The module of the worker process: the composition root says which. */
  readonly entry: URL;
  readonly settings: Settings;
  readonly claimJobs: boolean;
  /** Also remove what dead processes of this machine left unfinished in the blob store. Default: true. */
  readonly sweepTemporary?: boolean;
  /** Ends all leases of a worker process that is dead. */
  readonly expireLeases: (owner: string) => Promise<void>;
  /** Takes what the worker measures. */
  readonly meter: Meter;
  /** Of what calls the worker. Default: none. */
  readonly tracing?: Tracing;
  readonly log: Logger;
  /** Where the worker's stderr goes; undefined: to that of this process. */
  readonly logFd?: number | undefined;
  /** Set by tests. */
  readonly pace?: Partial<SupervisionPace> | undefined;
}

/**
 * Half a minute without an answer: the worker's main thread does little itself, but the stores' synchronous parts and a
 * machine under heavy load may block it.
 */
const defaultPace: SupervisionPace = {
  startMs: 120_000,
  pingMs: 3_000,
  maxMisses: 10,
  memory: defaultMemoryPace,
  replaceMs: 5 * 60_000,
  retireMs: 60_000,
  callMs: undefined,
};
/** After so many unanswered pings the service reports that it is not ready. */
const tellingMisses = 2;
/** The first restart follows at once; the pauses grow when workers die again and again. */
const firstDelayMs = 50;
const maxDelayMs = 10_000;
/** After kills from outside, which say nothing about the next worker. */
const maxKilledDelayMs = 500;
/** After so long without dying a worker counts as healthy again. */
const healthyAfterMs = 30_000;

/**
 * Keeps one worker process alive and passes calls on to it: starts another when it ends, ends it when it no longer answers,
 * and puts another in its place when it holds too much memory.
 */
export function startSupervisor(options: SupervisorOptions): Supervisor {
  const {
    entry,
    settings,
    claimJobs,
    expireLeases,
    meter,
    log,
    logFd,
    sweepTemporary = true,
    tracing = noTracing,
  } = options;
  const pace = { ...defaultPace, ...options.pace };
  const calls = createCalls({ pageTimeoutMs: settings.pageTimeoutMs, callTimeoutMs: pace.callMs });
  const stopping = new AbortController();
  const children = new Map<WorkerChild, Promise<void>>();
  const retiring = new WeakSet<WorkerChild>();
  const restarts = { fault: 0, killed: 0, exit: 0, start: 0, hung: 0, memory: 0 };
  const started = Promise.withResolvers<void>();
  started.promise.catch(() => undefined);
  const replacements = createReplacements(pace.replaceMs);
  let missedPings = 0;
  /** The worker that takes calls, or will. */
  let current: WorkerChild | undefined;
  let lastEnd: WorkerEnd | undefined;
  let isReplacing = false;
  let isGivingBack = false;
  /** Resolves when the current worker is to be replaced. */
  let outgrown = Promise.withResolvers<void>();

  function startChild(): WorkerChild {
    const child = startWorkerChild({
      entry,
      start: {
        kind: "start",
        settings,
        owner: newOwner(),
        claimJobs: claimJobs && !isGivingBack,
        sweepTemporary,
        memoryPace: pace.memory,
      },
      pace,
      logFd,
      on: {
        ready() {
          started.resolve();
          calls.attach(child);
        },
        message: (message) => calls.receive(message),
        outgrown: (rssBytes) => hearOutgrown(child, rssBytes),
        miss: () => (missedPings += 1),
        measured: (measured) => enterMeasured(meter, measured),
      },
    });
    children.set(
      child,
      child.gone.then((end) => bury(child, end)),
    );
    return child;
  }

  async function bury(child: WorkerChild, end: WorkerEnd): Promise<void> {
    children.delete(child);
    calls.detach(child, end.isFault);
    const isRetired = retiring.has(child);
    if (stopping.signal.aborted || (isRetired && end.reason === "exit")) return;
    if (isRetired) {
      log.warn({ what: end.what }, "the worker that was replaced did not end by itself");
    } else {
      lastEnd = end;
      restarts[end.reason] += 1;
      started.reject(new Error(`the worker process ended before it was ready: ${end.what}`));
      log.error({ reason: end.reason, what: end.what }, "the worker process ended; starting another");
    }
    // Its jobs can go on at once instead of waiting for its leases to run out.
    await expireLeases(child.owner).catch((err: unknown) => log.error({ err }, "leases not ended; they run out"));
  }

  function hearOutgrown(child: WorkerChild, rssBytes: number): void {
    if (child !== current || isReplacing) return;
    const verdict = replacements.ask(child);
    if (verdict === "replace") {
      log.warn({ rssBytes, maxBytes: settings.workerMemoryBytes }, "the worker holds too much memory; replacing it");
      outgrown.resolve();
    } else if (verdict === "first-refusal") {
      const text =
        "a new worker is above its memory as well: --worker-memory-bytes may be too small for these documents";
      log.warn({ rssBytes, maxBytes: settings.workerMemoryBytes }, text);
    }
  }

  /** Starts a successor beside a worker, and lets that one finish once the successor is ready. */
  async function replace(old: WorkerChild): Promise<WorkerChild> {
    isReplacing = true;
    const successor = startChild();
    const isUp = await Promise.race([successor.up, old.gone.then(() => true)]);
    isReplacing = false;
    outgrown = Promise.withResolvers();
    if (!isUp) return old;
    restarts.memory += 1;
    retire(old);
    return successor;
  }

  function retire(child: WorkerChild): void {
    retiring.add(child);
    child.send({ kind: "retire" });
    const kill = setTimeout(() => child.kill(), pace.retireMs);
    void child.gone.then(() => clearTimeout(kill));
  }

  /** From the start of a worker to the end of the last one that took its place. */
  async function runOnce(): Promise<void> {
    current = startChild();
    for (let ended = children.get(current); ended !== undefined; ended = children.get(current)) {
      const isOutgrown = await Promise.race([ended.then(() => false), outgrown.promise.then(() => true)]);
      if (!isOutgrown || stopping.signal.aborted) return ended;
      current = await replace(current);
    }
  }

  async function keepAlive(): Promise<void> {
    let delay = firstDelayMs;
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      await runOnce().catch((err: unknown) => log.error({ err }, "the worker process cannot be kept alive"));
      const limitMs = lastEnd?.reason === "killed" ? maxKilledDelayMs : maxDelayMs;
      delay = performance.now() - startedAt > healthyAfterMs ? firstDelayMs : Math.min(delay * 2, limitMs);
      await sleep(delay, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
  const keeping = keepAlive();

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
    wake() {
      for (const child of children.keys()) child.send({ kind: "wake" });
    },
    state() {
      if (current?.isReady === true) {
        return current.misses < tellingMisses ? { ready: true } : { ready: false, reason: "not answering" };
      }
      return { ready: false, reason: lastEnd === undefined ? "starting" : `restarting: ${lastEnd.what}` };
    },
    stats: () => ({ restarts: { ...restarts }, missedPings, rssBytes: current?.rssBytes ?? 0 }),
    started: started.promise,
    async giveBack(withinMs) {
      isGivingBack = true;
      const late = new AbortController();
      await Promise.race([
        Promise.all(Array.from(children.keys(), (child) => child.giveBack())),
        sleep(withinMs, undefined, { signal: late.signal }).catch(() => undefined),
      ]);
      late.abort();
    },
    async stop(graceMs) {
      stopping.abort();
      for (const child of children.keys()) child.send({ kind: "stop" });
      const kill = setTimeout(() => {
        for (const child of children.keys()) child.kill();
      }, graceMs);
      await keeping;
      await Promise.all(children.values());
      clearTimeout(kill);
      calls.close();
    },
  };
}
