import type { PageFailure } from "../../../domain/jobs/job.ts";
import type { PageSpan, Span } from "../../../domain/ports/tracing.ts";
import type { PageListener } from "../../threads/pool.ts";
import { pageReason } from "../failures.ts";
import type { Counts, Meter } from "../../../domain/ports/meter.ts";

/** Number of a stage's pages that always get a span: as many as a person looks at. */
export const maxShown = 100;
/** Maximum further pages that get a span because they failed; more failures add no information. */
export const maxShownFailures = 1_000;

/** Adds a bounded number of page spans to the span of their stage. */
export interface PageSpans {
  /** Call this when these pages are about to begin, one after another. */
  start(pages: readonly number[]): void;
  /** Call this when a page has ended; `failure` is the reason for its failure as a sentence. */
  end(page: number, failure: string | null): void;
  /** Records the numbers of pages in the span of the stage. */
  close(): void;
}

/** Pages that have begun together in one thread. */
interface Batch {
  /** The start of the current page, by `performance.now()`. */
  since: number;
}

/**
 * Creates page spans. A page's time begins at the end of the previous page in its batch; the time of the first page begins when
 * the batch is queued, so that it includes the wait for a thread.
 */
export function createPageSpans(stage: Span, name: PageSpan): PageSpans {
  const batchOf = new Map<number, Batch>();
  /** The batch of a page whose start was not announced: each of these pages is alone. */
  const alone: Batch = { since: performance.now() };
  let pages = 0;
  let failedPages = 0;
  let shown = 0;
  let shownFailures = 0;

  function isShown(failure: string | null): boolean {
    if (shown < maxShown) {
      shown += 1;
      return true;
    }
    if (failure === null || shownFailures >= maxShownFailures) return false;
    shownFailures += 1;
    return true;
  }

  return {
    start(begun) {
      const batch = { since: performance.now() };
      for (const page of begun) batchOf.set(page, batch);
    },
    end(page, failure) {
      const batch = batchOf.get(page) ?? alone;
      batchOf.delete(page);
      pages += 1;
      if (failure !== null) failedPages += 1;
      if (isShown(failure)) {
        stage.add(name, { page, ...(failure !== null && { reason: pageReason(failure) }) }, batch.since);
      }
      batch.since = performance.now();
      alone.since = batch.since;
    },
    close: () => stage.note({ pages, failedPages, unshownPages: pages - shown - shownFailures }),
  };
}

/** Wraps a listener so that each of its pages gets a span. */
export function listenWithSpans<Result extends { readonly page: number }>(
  spans: PageSpans,
  on: PageListener<Result>,
): PageListener<Result> {
  return {
    async start(pages) {
      await on.start(pages);
      spans.start(pages);
    },
    async page(result: Result | PageFailure) {
      spans.end(result.page, "reason" in result ? result.reason : null);
      await on.page(result);
    },
  };
}

/** Counts the pages that a stage has finished, by the reason for failure; null stands for a success. */
export function countPages(meter: Meter, stage: Counts["pages"]["stage"], failures: readonly (string | null)[]): void {
  const succeeded = failures.filter((failure) => failure === null).length;
  if (succeeded > 0) meter.count("pages", { stage, result: "succeeded", reason: "" }, succeeded);
  for (const failure of failures) {
    if (failure !== null) meter.count("pages", { stage, result: "failed", reason: pageReason(failure) });
  }
}
