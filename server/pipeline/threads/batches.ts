import { DomainError } from "../../domain/errors.ts";
import type { PageFailure } from "../../domain/jobs/job.ts";
import { reasons } from "../errors.ts";
import type { MemoryGate } from "./memory-gate.ts";
import type { ThreadReport, ThreadTask } from "./tasks.ts";
import type { Stopped, Threads } from "./threads.ts";

/** Pages per batch: large enough to keep threads busy, small enough for several jobs to share them fairly. */
const batchSize = 16;

export interface BatchOptions<Result extends { readonly page: number }> {
  readonly pages: readonly number[];
  readonly task: (pages: readonly number[]) => ThreadTask;
  /** Returns the result in a report, if there is one. */
  readonly resultOf: (report: ThreadReport) => Result | PageFailure | undefined;
  readonly on: {
    start(pages: readonly number[]): void | Promise<void>;
    page(result: Result | PageFailure): void | Promise<void>;
  };
  readonly signal: AbortSignal | undefined;
}

export interface BatchLimits {
  readonly threads: number;
  readonly pageTimeoutMs: number;
  readonly maxRssBytes: number;
}

/** Processes pages in batches, one batch per thread at a time; each page gets exactly one result. */
export async function runBatches<Result extends { readonly page: number }>(
  threads: Threads,
  gate: MemoryGate,
  limits: BatchLimits,
  options: BatchOptions<Result>,
): Promise<void> {
  const failed = new AbortController();
  const signal = AbortSignal.any([failed.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  // The first failure, for example of a store, ends all batches, so that nothing continues in the background.
  const batches = inBatches(options.pages).values();
  const workers = Array.from({ length: limits.threads }, async () => {
    try {
      for (const pages of batches) await runBatch(threads, gate, limits, { ...options, pages, signal });
    } catch (cause) {
      failed.abort(cause);
      throw cause;
    }
  });
  const outcomes = await Promise.allSettled(workers);
  options.signal?.throwIfAborted();
  if (outcomes.some(({ status }) => status === "rejected")) throw failed.signal.reason;
}

function inBatches(pages: readonly number[]): readonly (readonly number[])[] {
  return Array.from({ length: Math.ceil(pages.length / batchSize) }, (_, index) =>
    pages.slice(index * batchSize, (index + 1) * batchSize),
  );
}

async function runBatch<Result extends { readonly page: number }>(
  threads: Threads,
  gate: MemoryGate,
  limits: BatchLimits,
  { pages, task, resultOf, on, signal }: BatchOptions<Result>,
): Promise<void> {
  const missing = new Set(pages);
  const finish = async (result: Result | PageFailure): Promise<void> => {
    if (missing.delete(result.page)) await on.page(result);
  };
  /** Returns undefined if the thread has processed at least one page. */
  const attempt = async (batch: readonly number[], alone: boolean): Promise<Stopped | undefined> => {
    const before = missing.size;
    await on.start(batch);
    const run = async (stop: AbortSignal): Promise<Stopped | undefined> => {
      const answer = await threads.run(task(batch), {
        signal,
        stop,
        pageTimeoutMs: limits.pageTimeoutMs,
        async onReport(report) {
          const result = resultOf(report);
          if (result !== undefined) await finish(result);
        },
      });
      if (answer.kind === "stopped") return answer;
      if (answer.kind === "domain-error") throw new DomainError(answer.error, answer.message);
      if (answer.kind !== "done") throw new Error(`a batch of pages ended with ${answer.kind}`);
      if (missing.size === before) throw new Error(`none of the pages ${batch.join(", ")} got a result`);
      return undefined;
    };
    return alone ? gate.alone(run) : gate.beside(run);
  };

  while (missing.size > 0) {
    signal?.throwIfAborted();
    const stopped = await attempt([...missing], false);
    if (stopped === undefined || missing.size === 0) continue;
    const culprit = culpritOf(stopped, missing);
    if (culprit === undefined) continue;
    // Only a page that runs alone can be blamed for taking the memory or killing the thread.
    const verdict = stopped.why === "time" ? stopped : await attempt([culprit], true);
    if (verdict !== undefined) await finish({ page: culprit, reason: reasonFor(verdict, limits) });
  }
}

/** Returns the page to blame; undefined if the thread had not begun, so that the batch can be retried. */
function culpritOf({ at, why, cause }: Stopped, missing: ReadonlySet<number>): number | undefined {
  if (at !== undefined) return missing.has(at) ? at : missing.values().next().value;
  // No page had begun, so the threads themselves do not work.
  if (why === "crash") throw cause;
  return undefined;
}

export function reasonFor({ why }: Stopped, { pageTimeoutMs, maxRssBytes }: BatchLimits): string {
  if (why === "time") return reasons.time(pageTimeoutMs);
  return why === "memory" ? reasons.memory(maxRssBytes) : reasons.crash;
}
