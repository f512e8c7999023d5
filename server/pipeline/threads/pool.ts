import type { ComputedPage } from "../../domain/ports/features.ts";
import { type DocumentProperties, noProperties } from "../../domain/documents/properties.ts";
import { invalid, unavailable, unprocessable } from "../../domain/errors.ts";
import type { Highlight } from "../../domain/items/item.ts";
import type { PageFailure } from "../../domain/jobs/job.ts";
import type { QueryInSpace, SearchQuery, WeighedWord } from "../../domain/ports/worker.ts";
import { type BatchLimits, type BatchOptions, reasonFor, runBatches } from "./batches.ts";
import { PageError, sentences } from "../errors.ts";
import { createMemoryGate, type MemoryGate } from "./memory-gate.ts";
import { errorOf as errorOfFailure } from "../process/failures.ts";
import type { PageRead, PageToRender, ThreadAnswer, ThreadTask } from "./tasks.ts";
import { createThreads, type Stopped, type Threads } from "./threads.ts";

export type { PageRead } from "./tasks.ts";

/** Receives events about pages while they are processed. */
export interface PageListener<Result> {
  /** Called when these pages, at most a batch, are about to begin, and again for pages that are retried. */
  start(pages: readonly number[]): void | Promise<void>;
  page(result: Result | PageFailure): void | Promise<void>;
}

/** Runs everything that opens documents or pictures in threads that can be stopped at any moment. */
export interface PagePool {
  /** Throws `DocumentError`. */
  countPages(file: string, signal?: AbortSignal): Promise<number>;
  /** Returns empty properties if they cannot be read, which is not a fault of the document. */
  readProperties(file: string, signal?: AbortSignal): Promise<DocumentProperties>;
  /** Reports every page exactly once, as read or failed, in any order; never throws for a page's fault. */
  readPages(
    task: { file: string; pages: readonly number[] },
    on: PageListener<PageRead>,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Like `readPages`; needs the words, and renders the small picture that the pack requests. */
  embedPages(
    task: { file: string; pages: readonly { page: number; words: string }[]; packDir: string },
    on: PageListener<ComputedPage>,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Throws `DocumentError` or `PageError`. Does not wait for job work. */
  renderPage(task: PageToRender, signal?: AbortSignal): Promise<Uint8Array>;
  /** Finds the words on the page. Throws `DocumentError` or `PageError`. Does not wait for job work. */
  highlightPage(
    task: { file: string; page: number; words: readonly WeighedWord[] },
    signal?: AbortSignal,
  ): Promise<readonly Highlight[]>;
  /** Throws `invalid` if the picture cannot be used. Does not wait for job work. */
  embedQuery(query: SearchQuery, packDir: string, signal?: AbortSignal): Promise<readonly QueryInSpace[]>;
  /** Reads the pack's files to their end, loads the pack and tests it. Throws `unprocessable` with the reason if that fails. */
  tryPack(packDir: string, signal?: AbortSignal): Promise<void>;
  /** Lets job work that is cancelled from now on finish its current page, within the page's time limit. */
  finishPages(): void;
  /** Replaces the threads without interrupting them, so that the memory of the old ones is freed. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

export interface PagePoolOptions {
  /** Number of threads for job work. The same number of further threads, but at most two, serve views. */
  readonly threads: number;
  readonly pageTimeoutMs?: number;
  /** Memory limit of the whole process; work that exceeds it is stopped. */
  readonly maxRssBytes?: number;
  /** Whether to keep a thread ready for views; default: true. */
  readonly warm?: boolean;
}

const defaultPageTimeoutMs = 30_000;
const defaultMaxRssBytes = 1_500 * 2 ** 20;
/** PDFium's heap is capped below the process's limit, so that most heavy pages end only their own thread. */
const maxEngineBytes = 700 * 2 ** 20;
/** A view takes tens of milliseconds, so two threads serve many viewers and leave the processor to the jobs. */
const maxViewThreads = 2;

export function createPagePool(options: PagePoolOptions): PagePool {
  const { pageTimeoutMs = defaultPageTimeoutMs, maxRssBytes = defaultMaxRssBytes, warm = true } = options;
  const settings = { maxEngineBytes: Math.min(maxEngineBytes, Math.round(maxRssBytes / 2)) };
  const jobs = createThreads(options.threads, { ...settings, warm: false });
  const views = createThreads(Math.min(maxViewThreads, options.threads), { ...settings, warm });
  const limits: BatchLimits = { threads: options.threads, pageTimeoutMs, maxRssBytes };
  const gate = createMemoryGate({
    maxRssBytes,
    onExcess: async () => void (await Promise.all([jobs.restart(), views.restart()])),
  });
  const runOne = (threads: Threads, task: ThreadTask, signal: AbortSignal | undefined): Promise<Outcome> =>
    runWhole(gate, (stop) => threads.run(task, { signal, stop, pageTimeoutMs }));

  return {
    async countPages(file, signal) {
      const answer = await runOne(jobs, { kind: "count", file }, signal);
      if (answer.kind === "count") return answer.pages;
      return fail(answer, ({ why }) => {
        if (why === "time") return sentences.time(pageTimeoutMs);
        return why === "memory" ? sentences.memory(maxRssBytes) : sentences.crash();
      });
    },
    async readProperties(file, signal) {
      const answer = await runOne(jobs, { kind: "properties", file }, signal);
      return answer.kind === "properties" ? answer.properties : noProperties;
    },
    readPages: (task, on, signal) => runBatches(jobs, gate, limits, { ...readTasks(task), on, signal }),
    embedPages: (task, on, signal) => runBatches(jobs, gate, limits, { ...embedTasks(task), on, signal }),
    async renderPage(task, signal) {
      const answer = await runOne(views, { kind: "render", ...task }, signal);
      if (answer.kind === "bytes") return answer.bytes;
      return fail(answer, (stopped) => new PageError(task.page, reasonFor(stopped, limits)));
    },
    async highlightPage({ file, page, words }, signal) {
      const answer = await runOne(views, { kind: "highlight", file, page, words }, signal);
      if (answer.kind === "highlights") return answer.highlights;
      return fail(answer, (stopped) => new PageError(page, reasonFor(stopped, limits)));
    },
    async embedQuery(query, packDir, signal) {
      const answer = await runOne(views, { kind: "query", query, packDir }, signal);
      if (answer.kind === "query") return answer.spaces;
      return fail(answer, () =>
        query.image === undefined
          ? unavailable("the search took too long; try again")
          : invalid("the picture of the query takes too much time or memory to read; send a smaller one"),
      );
    },
    async tryPack(packDir, signal) {
      const answer = await runOne(views, { kind: "try", packDir }, signal);
      if (answer.kind === "done") return;
      if (answer.kind !== "stopped") throw errorOf(answer);
      throw unprocessable(
        answer.why === "memory"
          ? "the model pack needs more memory than the worker may take; raise --worker-memory-bytes"
          : "the model pack breaks the worker that loads it",
      );
    },
    finishPages: () => jobs.finishPages(),
    async renew() {
      await Promise.all([jobs.renew(), views.renew()]);
    },
    async close() {
      await Promise.all([jobs.close(), views.close()]);
    },
  };
}

type Outcome = ThreadAnswer | Stopped;

/** Runs an indivisible task; if the process exceeds its memory limit meanwhile, the task runs once more alone. */
async function runWhole(gate: MemoryGate, run: (stop: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
  const outcome = await gate.beside(run);
  return outcome.kind === "stopped" && outcome.why === "memory" ? gate.alone(run) : outcome;
}

type Tasks<Result extends { readonly page: number }> = Pick<BatchOptions<Result>, "pages" | "task" | "resultOf">;

const readTasks = ({ file, pages }: Parameters<PagePool["readPages"]>[0]): Tasks<PageRead> => ({
  pages,
  task: (batch) => ({ kind: "read", file, pages: batch }),
  resultOf: (report) => ("read" in report ? report.read : undefined),
});

function embedTasks({ file, pages, packDir }: Parameters<PagePool["embedPages"]>[0]): Tasks<ComputedPage> {
  const words = new Map(pages.map((page) => [page.page, page.words]));
  return {
    pages: pages.map(({ page }) => page),
    task: (batch) => ({
      kind: "embed",
      file,
      packDir,
      pages: batch.map((page) => ({ page, words: words.get(page) ?? "" })),
    }),
    resultOf: (report) => ("embedded" in report ? report.embedded : undefined),
  };
}

/**
 * Throws the error for a task that has no result; `ofStopped` creates the error for a task that was stopped after it had begun.
 */
function fail(outcome: Outcome, ofStopped: (stopped: Stopped) => Error): never {
  if (outcome.kind !== "stopped") throw errorOf(outcome);
  if (outcome.at !== undefined) throw ofStopped(outcome);
  // The thread died before it opened the document, which says nothing about the document.
  if (outcome.why === "crash") throw outcome.cause;
  throw unavailable("the worker is short of memory; try again in a moment");
}

function errorOf(answer: ThreadAnswer): Error {
  switch (answer.kind) {
    case "document-error":
    case "page-error":
    case "domain-error":
      return errorOfFailure(answer);
    default:
      return new Error(`a thread answered out of turn: ${answer.kind}`);
  }
}
