import { type DocumentProperties, noProperties } from "../../domain/documents/properties.ts";
import { invalid, unavailable, unprocessable } from "../../domain/errors.ts";
import type { Highlight } from "../../domain/items/highlight.ts";
import type { PageFailure } from "../../domain/jobs/job.ts";
import type { WeighedWord } from "../../domain/ports/weighed-word.ts";
import type { QueryInSpace, SearchQuery } from "../../domain/ports/worker.ts";
import { type BatchLimits, reasonFor, runBatches } from "./batches.ts";
import { PageError, sentences } from "../errors.ts";
import { createMemoryGate } from "./memory-gate.ts";
import { errorOf as errorOfFailure } from "../process/failures.ts";
import type { PageEmbedded, PageRead, PageToRender, ThreadAnswer, ThreadTask } from "./tasks.ts";
import { createThreads, type Stopped, type Threads } from "./threads.ts";

export type { PageEmbedded, PageRead } from "./tasks.ts";

/** Called with pages while they are worked on. */
export interface PageListener<Result> {
  /** Called when these pages, at most a batch, are about to begin; again for pages that are retried. */
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
    on: PageListener<PageEmbedded>,
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
  /** Reads the pack's files whole, loads it and tests it. Throws `unprocessable` with the reason if that fails. */
  tryPack(packDir: string, signal?: AbortSignal): Promise<void>;
  /** From now on cancelled job work finishes its current page, within the page's own time. */
  finishPages(): void;
  /** Replaces the threads without interrupting them, so that the memory of the old ones is freed. */
  renew(): Promise<void>;
  close(): Promise<void>;
}

export interface PagePoolOptions {
  /** Threads for job work; the same number again, but at most two, serve views. */
  readonly threads: number;
  readonly pageTimeoutMs?: number;
  /** Memory limit of the whole process; above it work is stopped. */
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

  /** Runs an indivisible task; if the process exceeds its memory limit meanwhile, the task runs once more alone. */
  async function runOne(
    threads: Threads,
    task: ThreadTask,
    signal: AbortSignal | undefined,
  ): Promise<ThreadAnswer | Stopped> {
    const run = (stop: AbortSignal): Promise<ThreadAnswer | Stopped> =>
      threads.run(task, { signal, stop, pageTimeoutMs });
    const answer = await gate.beside(run);
    return answer.kind === "stopped" && answer.why === "memory" ? gate.alone(run) : answer;
  }

  return {
    async countPages(file, signal) {
      const answer = await runOne(jobs, { kind: "count", file }, signal);
      if (answer.kind === "count") return answer.pages;
      if (answer.kind !== "stopped") throw errorOf(answer);
      refuseUnbegun(answer);
      if (answer.why === "time") throw sentences.time(pageTimeoutMs);
      throw answer.why === "memory" ? sentences.memory(maxRssBytes) : sentences.crash();
    },
    async readProperties(file, signal) {
      const answer = await runOne(jobs, { kind: "properties", file }, signal);
      return answer.kind === "properties" ? answer.properties : noProperties;
    },
    readPages({ file, pages }, on, signal) {
      return runBatches(jobs, gate, limits, {
        pages,
        task: (batch) => ({ kind: "read", file, pages: batch }),
        resultOf: (report) => ("read" in report ? report.read : undefined),
        on,
        signal,
      });
    },
    embedPages({ file, pages, packDir }, on, signal) {
      const words = new Map(pages.map((page) => [page.page, page.words]));
      return runBatches(jobs, gate, limits, {
        pages: pages.map(({ page }) => page),
        task: (batch) => ({
          kind: "embed",
          file,
          packDir,
          pages: batch.map((page) => ({ page, words: words.get(page) ?? "" })),
        }),
        resultOf: (report) => ("embedded" in report ? report.embedded : undefined),
        on,
        signal,
      });
    },
    async renderPage(task, signal) {
      const answer = await runOne(views, { kind: "render", ...task }, signal);
      if (answer.kind === "bytes") return answer.bytes;
      if (answer.kind !== "stopped") throw errorOf(answer);
      refuseUnbegun(answer);
      throw new PageError(task.page, reasonFor(answer, limits));
    },
    async highlightPage({ file, page, words }, signal) {
      const answer = await runOne(views, { kind: "highlight", file, page, words }, signal);
      if (answer.kind === "highlights") return answer.highlights;
      if (answer.kind !== "stopped") throw errorOf(answer);
      refuseUnbegun(answer);
      throw new PageError(page, reasonFor(answer, limits));
    },
    async embedQuery(query, packDir, signal) {
      const answer = await runOne(views, { kind: "query", query, packDir }, signal);
      if (answer.kind === "query") return answer.spaces;
      if (answer.kind !== "stopped") throw errorOf(answer);
      refuseUnbegun(answer);
      throw query.image === undefined
        ? unavailable("the search took too long; try again")
        : invalid("the picture of the query takes too much time or memory to read; send a smaller one");
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

/** Throws if a thread died before it opened the document, which says nothing about the document. */
function refuseUnbegun({ at, why, cause }: Stopped): void {
  if (at !== undefined) return;
  if (why === "crash") throw cause;
  throw unavailable("the worker is short of memory; try again in a moment");
}
