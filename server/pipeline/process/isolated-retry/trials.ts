import type { ComputedPage } from "../../../domain/ports/features.ts";
import { extname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { unavailable } from "../../../domain/errors.ts";
import type { PageFailure } from "../../../domain/jobs/job.ts";
import { DocumentError, PageError, reasons, sentences } from "../../errors.ts";
import { createSlots } from "../../threads/slots.ts";
import type { PageRead, PageToRender } from "../../threads/tasks.ts";
import { errorOf } from "../failures.ts";
import { startTrialChild, type TrialChild, type TrialEnd } from "./child.ts";
import type { TrialLimits, TrialResult, TrialTask } from "./messages.ts";

/**
 * Retries suspects in isolation: pages that were in progress when their process ended. Each page is tried alone in a separate
 * process, so that it fails only by its own fault. If that process dies by its own fault, the page is tried once more in a fresh
 * process; if that dies as well, the page has failed. Deaths caused from outside never count.
 *
 * Results and errors are otherwise the same as in the pool. Every method throws the signal's reason once it is aborted, and
 * `unavailable` if trial processes do not start.
 */
export interface IsolatedRetries {
  /** Throws `DocumentError`. */
  countPages(file: string, signal?: AbortSignal): Promise<number>;
  /** Never throws for the page's fault. */
  readPage(task: { file: string; page: number }, signal?: AbortSignal): Promise<PageRead | PageFailure>;
  /** Never throws for the page's fault; throws `DomainError` if the pack cannot be used. */
  embedPage(
    task: { file: string; page: number; words: string; packDir: string },
    signal?: AbortSignal,
  ): Promise<ComputedPage | PageFailure>;
  /** Throws `DocumentError` or `PageError`. */
  renderPage(task: PageToRender, signal?: AbortSignal): Promise<Uint8Array>;
  /** Ends running tasks, which then throw. */
  close(): Promise<void>;
}

export interface IsolatedRetryOptions {
  readonly log: Logger;
  /** Time limit in milliseconds of one page, and of opening a document. */
  readonly pageTimeoutMs: number;
  /** Memory limit of the trial process, as in the pool; above it the page's processing is stopped. */
  readonly maxRssBytes: number;
  /** The process is ended after this time without work. */
  readonly idleMs?: number;
  /** Time for the start of the process, and for loading whatever its work needs. */
  readonly startTimeoutMs?: number;
  /** The module that the process runs; set by tests. */
  readonly entry?: URL;
}

/** Number of deaths after which a page has failed. One may be chance, or an effect of an earlier page in the same process. */
const maxFaults = 2;
/**
 * Number of failed starts after which the machine is at fault. Processes that die before they are ready say nothing about pages.
 */
const maxFailedStarts = 3;
/** Pauses after a death caused from outside. */
const firstPauseMs = 50;
const maxPauseMs = 1_000;
const defaultIdleMs = 30_000;
/** Start timeout that allows for a cold disk, a large model pack and a busy machine. */
const defaultStartTimeoutMs = 120_000;

export function createIsolatedRetries(options: IsolatedRetryOptions): IsolatedRetries {
  const { log, pageTimeoutMs, maxRssBytes, idleMs = defaultIdleMs } = options;
  const limits: TrialLimits = { pageTimeoutMs, maxRssBytes };
  const entry = options.entry ?? new URL(`./trial-process${extname(import.meta.url)}`, import.meta.url);
  const startTimeoutMs = options.startTimeoutMs ?? defaultStartTimeoutMs;
  const closing = new AbortController();
  // Tries only one page of all jobs at a time, so that this page is the cause of anything that happens to the process.
  const slot = createSlots(1);
  let child: TrialChild | undefined;
  let idle: NodeJS.Timeout | undefined;

  async function runOnce(task: TrialTask, fresh: boolean, signal: AbortSignal): Promise<TrialEnd> {
    clearTimeout(idle);
    if (child !== undefined && (!child.alive || (fresh && child.used > 0))) {
      await child.kill();
      child = undefined;
    }
    child ??= startTrialChild({ entry, limits, startTimeoutMs });
    try {
      return await child.run(task, signal);
    } finally {
      idle = setTimeout(() => void child?.kill(), idleMs).unref();
    }
  }

  /** Tries until the task succeeds or is found to be at fault. */
  async function run(task: TrialTask, outer: AbortSignal | undefined): Promise<TrialResult> {
    const signal = outer === undefined ? closing.signal : AbortSignal.any([outer, closing.signal]);
    const faults: string[] = [];
    let failedStarts = 0;
    let pauseMs = firstPauseMs;
    for (;;) {
      const end = await slot.run(() => runOnce(task, faults.length > 0, signal), signal);
      if (end.kind === "result") return end.result;
      if (end.kind === "failure") throw errorOf(end.failure);
      const what = end.kind === "stopped" ? end.why : end.death.what;
      log.warn({ ...subject(task), what, ...(end.kind === "died" && { stderr: end.stderr }) }, "a trial process ended");
      // As in the pool, a timeout is final, because it would happen again.
      if (what === "time") throw verdict(task, ["time"], limits);
      if (end.kind === "stopped" || (end.begun && end.death.kind === "fault")) {
        faults.push(what);
        if (faults.length >= maxFaults) throw verdict(task, faults, limits);
        continue;
      }
      if (end.death.kind === "fault") {
        failedStarts += 1;
        if (failedStarts >= maxFailedStarts) throw unavailable(`the process for single pages does not start: ${what}`);
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      pauseMs = Math.min(pauseMs * 2, maxPauseMs);
    }
  }

  return {
    async countPages(file, signal) {
      const result = await run({ kind: "count", file }, signal);
      return result.kind === "count" ? result.pages : outOfTurn(result);
    },
    async readPage(task, signal) {
      const result = await run({ kind: "read", ...task }, signal).catch(asFailed);
      if ("reason" in result) return result;
      return result.kind === "read" ? result.read : outOfTurn(result);
    },
    async embedPage(task, signal) {
      const result = await run({ kind: "embed", ...task }, signal).catch(asFailed);
      if ("reason" in result) return result;
      return result.kind === "embed" ? result.embedded : outOfTurn(result);
    },
    async renderPage(task, signal) {
      const result = await run({ kind: "render", ...task }, signal);
      return result.kind === "render" ? result.bytes : outOfTurn(result);
    },
    async close() {
      closing.abort(unavailable("the worker is stopping"));
      clearTimeout(idle);
      await child?.kill();
    },
  };
}

const verbs = {
  count: "opened this document",
  read: "read this page",
  embed: "embedded this page",
  render: "drew this page",
};

/** Returns the error for the owner of the document. */
function verdict(task: TrialTask, faults: readonly string[], { pageTimeoutMs, maxRssBytes }: TrialLimits): Error {
  const last = faults.at(-1);
  if (task.kind === "count") {
    if (last === "time") return sentences.time(pageTimeoutMs);
    if (last === "memory") return sentences.memory(maxRssBytes);
    return new DocumentError("damaged", crashed(task, faults));
  }
  if (last === "time") return new PageError(task.page, reasons.time(pageTimeoutMs));
  if (last === "memory") return new PageError(task.page, reasons.memory(maxRssBytes));
  return new PageError(task.page, crashed(task, faults));
}

function crashed({ kind }: TrialTask, faults: readonly string[]): string {
  return `the process that ${verbs[kind]} crashed twice (${[...new Set(faults)].join(", ")})`;
}

/** Converts an error of a page into the page's result. */
function asFailed(cause: unknown): PageFailure {
  if (cause instanceof PageError) return { page: cause.page, reason: cause.message };
  throw cause;
}

function subject(task: TrialTask): { trial: TrialTask["kind"]; page?: number } {
  return task.kind === "count" ? { trial: task.kind } : { trial: task.kind, page: task.page };
}

function outOfTurn({ kind }: TrialResult): never {
  throw new Error(`a trial process answered out of turn: ${kind}`);
}
