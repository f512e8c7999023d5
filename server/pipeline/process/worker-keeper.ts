import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Settings } from "../../settings/settings.ts";
import type { Meter } from "../../domain/ports/meter.ts";
import { newOwner } from "../../domain/processes.ts";
import { enterMeasured } from "../../metrics/relay.ts";
import type { Calls } from "./calls.ts";
import type { MemoryPace } from "./memory/watch.ts";
import { createReplacements, type Replacements } from "./replacements.ts";
import { startWorkerChild, type WorkerChild, type WorkerEnd, type WorkerPace } from "./worker-child.ts";

/** States whether there is a worker that answers, and if not, the reason in a few words. */
export type WorkerState = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/**
 * Reasons for replacing a worker. `fault`: the worker crashed; `killed`: it was killed from outside; `exit`: it ended by itself;
 * `start`: it was not ready in time; `hung`: it did not answer; `memory`: it exceeded its memory limit.
 */
export const restartReasons = ["fault", "killed", "exit", "start", "hung", "memory"] as const;
type RestartReason = (typeof restartReasons)[number];

export interface WorkerStats {
  readonly restarts: Readonly<Record<RestartReason, number>>;
  readonly missedPings: number;
  /** Memory of the worker that takes calls; 0 if there is none. */
  readonly rssBytes: number;
}

/** Time limits of a keeper, in milliseconds. */
export interface KeeperPace extends WorkerPace {
  readonly memory: MemoryPace;
  /** Minimum time between two replacements because of memory. */
  readonly replaceMs: number;
  /** Time for a replaced worker to finish its pages and calls. */
  readonly retireMs: number;
}

export interface KeeperOptions {
  /** The module of the worker process, which the composition root chooses. */
  readonly entry: URL;
  readonly settings: Settings;
  readonly claimJobs: boolean;
  /** Whether to remove unfinished blobs of dead processes on this machine. Default: true. */
  readonly sweepTemporary?: boolean;
  /** Ends all leases of a dead worker process. */
  readonly expireLeases: (owner: string) => Promise<void>;
  /** Receives the worker's measurements. */
  readonly meter: Meter;
  readonly log: Logger;
  /** File descriptor that receives the worker's stderr; by default that of this process. */
  readonly logFd?: number | undefined;
}

/** Pause before the first restart, and maximum pause. Pauses grow while workers die repeatedly. */
const firstDelayMs = 50;
const maxDelayMs = 10_000;
/** Maximum pause after a kill from outside, which says nothing about the next worker. */
const maxKilledDelayMs = 500;
/** Lifetime after which a worker counts as healthy again. */
const healthyAfterMs = 30_000;

/**
 * Keeps one worker process alive: starts another when it ends or no longer answers, and replaces it when it holds too much
 * memory.
 */
export class WorkerKeeper {
  /** Resolves when the first worker is ready. Rejects if the worker ends before that. */
  readonly started: Promise<void>;
  readonly #options: KeeperOptions;
  readonly #pace: KeeperPace;
  readonly #calls: Pick<Calls, "attach" | "receive" | "detach">;
  readonly #stopping = new AbortController();
  /** Running workers; each promise resolves when the end of its worker has been handled. */
  readonly #children = new Map<WorkerChild, Promise<void>>();
  readonly #retiring = new WeakSet<WorkerChild>();
  readonly #restarts = { fault: 0, killed: 0, exit: 0, start: 0, hung: 0, memory: 0 };
  readonly #firstUp = Promise.withResolvers<void>();
  readonly #replacements: Replacements<WorkerChild>;
  readonly #running: Promise<void>;
  #missedPings = 0;
  /** The worker that takes calls, or will take them when it is ready. */
  #current: WorkerChild | undefined;
  #lastEnd: WorkerEnd | undefined;
  #isReplacing = false;
  #isGivingBack = false;
  /** Resolves when the current worker must be replaced. */
  #outgrown = Promise.withResolvers<void>();

  constructor(options: KeeperOptions, pace: KeeperPace, calls: Pick<Calls, "attach" | "receive" | "detach">) {
    this.#options = options;
    this.#pace = pace;
    this.#calls = calls;
    this.#replacements = createReplacements(pace.replaceMs);
    this.started = this.#firstUp.promise;
    this.started.catch(() => undefined);
    this.#running = this.#run();
  }

  state(): WorkerState {
    const health = this.#current?.health ?? "starting";
    if (health === "ready") return { ready: true };
    if (health === "not answering") return { ready: false, reason: health };
    return { ready: false, reason: this.#lastEnd === undefined ? "starting" : `restarting: ${this.#lastEnd.what}` };
  }

  stats(): WorkerStats {
    return {
      restarts: { ...this.#restarts },
      missedPings: this.#missedPings,
      rssBytes: this.#current?.rssBytes ?? 0,
    };
  }

  wake(): void {
    for (const child of this.#children.keys()) child.send({ kind: "wake" });
  }

  async giveBack(withinMs: number): Promise<void> {
    this.#isGivingBack = true;
    const late = new AbortController();
    await Promise.race([
      Promise.all(Array.from(this.#children.keys(), (child) => child.giveBack())),
      sleep(withinMs, undefined, { signal: late.signal }).catch(() => undefined),
    ]);
    late.abort();
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    for (const child of this.#children.keys()) child.stop(graceMs);
    await this.#running;
    await Promise.all(this.#children.values());
  }

  async #run(): Promise<void> {
    const { log } = this.#options;
    const { signal } = this.#stopping;
    let delay = firstDelayMs;
    while (!signal.aborted) {
      const startedAt = performance.now();
      await this.#runOnce().catch((err: unknown) => log.error({ err }, "the worker process cannot be kept alive"));
      const limitMs = this.#lastEnd?.reason === "killed" ? maxKilledDelayMs : maxDelayMs;
      delay = performance.now() - startedAt > healthyAfterMs ? firstDelayMs : Math.min(delay * 2, limitMs);
      await sleep(delay, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Runs from the start of a worker to the end of the last of its replacements. */
  async #runOnce(): Promise<void> {
    let child = this.#start();
    this.#current = child;
    for (let ended = this.#children.get(child); ended !== undefined; ended = this.#children.get(child)) {
      const isOutgrown = await Promise.race([ended.then(() => false), this.#outgrown.promise.then(() => true)]);
      if (!isOutgrown || this.#stopping.signal.aborted) return ended;
      child = await this.#replace(child);
      this.#current = child;
    }
  }

  #start(): WorkerChild {
    const { entry, settings, claimJobs, sweepTemporary = true, meter, logFd } = this.#options;
    const child = startWorkerChild({
      entry,
      start: {
        kind: "start",
        settings,
        owner: newOwner(),
        claimJobs: claimJobs && !this.#isGivingBack,
        sweepTemporary,
        memoryPace: this.#pace.memory,
      },
      pace: this.#pace,
      logFd,
      on: {
        ready: () => {
          this.#firstUp.resolve();
          this.#calls.attach(child);
        },
        message: (message) => this.#calls.receive(message),
        outgrown: (rssBytes) => this.#onOutgrown(child, rssBytes),
        miss: () => (this.#missedPings += 1),
        measured: (measured) => enterMeasured(meter, measured),
      },
    });
    this.#children.set(
      child,
      child.gone.then((end) => this.#onGone(child, end)),
    );
    return child;
  }

  async #onGone(child: WorkerChild, end: WorkerEnd): Promise<void> {
    const { log, expireLeases } = this.#options;
    this.#children.delete(child);
    this.#calls.detach(child, end.isFault);
    const isRetired = this.#retiring.has(child);
    if (this.#stopping.signal.aborted || (isRetired && end.reason === "exit")) return;
    if (isRetired) {
      log.warn({ what: end.what }, "the worker that was replaced did not end by itself");
    } else {
      this.#lastEnd = end;
      this.#restarts[end.reason] += 1;
      this.#firstUp.reject(new Error(`the worker process ended before it was ready: ${end.what}`));
      log.error({ reason: end.reason, what: end.what }, "the worker process ended; starting another");
    }
    // Lets the worker's jobs continue at once instead of waiting until its leases expire.
    await expireLeases(child.owner).catch((err: unknown) => log.error({ err }, "leases not ended; they run out"));
  }

  #onOutgrown(child: WorkerChild, rssBytes: number): void {
    if (child !== this.#current || this.#isReplacing) return;
    const { log, settings } = this.#options;
    const facts = { rssBytes, maxBytes: settings.workerMemoryBytes };
    const verdict = this.#replacements.ask(child);
    if (verdict === "replace") {
      log.warn(facts, "the worker holds too much memory; replacing it");
      this.#outgrown.resolve();
    } else if (verdict === "first-refusal") {
      log.warn(
        facts,
        "a new worker is above its memory as well: --worker-memory-bytes may be too small for these documents",
      );
    }
  }

  /** Starts a successor while the worker still runs, and retires the worker once the successor is ready. */
  async #replace(old: WorkerChild): Promise<WorkerChild> {
    this.#isReplacing = true;
    const successor = this.#start();
    const isUp = await Promise.race([successor.up, old.gone.then(() => true)]);
    this.#isReplacing = false;
    this.#outgrown = Promise.withResolvers();
    if (!isUp) return old;
    this.#restarts.memory += 1;
    this.#retiring.add(old);
    old.retire(this.#pace.retireMs);
    return successor;
  }
}
