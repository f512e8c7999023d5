import type { PageFailure } from "../../../domain/jobs/job.ts";
import type { PageSpan, Span } from "../../../domain/ports/tracing.ts";
import type { PageListener } from "../../threads/pool.ts";
import { pageReason } from "../reasons.ts";

/** Pages of a stage that have a span whatever becomes of them: as many as a person looks at. */
export const maxShown = 100;
/** Pages that have one because they failed. A document of which more fail says the same with each. */
export const maxShownFailures = 1_000;

/** Adds spans of pages to that of their stage, a bounded number of them. */
export interface PageSpans {
  /** These pages are about to begin, one after another. */
  start(pages: readonly number[]): void;
  /** A page has ended; `failure` says why it failed, in a sentence. */
  end(page: number, failure: string | null): void;
  /** Says in the span of the stage how many there were. */
  close(): void;
}

/** Pages that have begun together, in one thread. */
interface Batch {
  /** When the one at work has begun; by `performance.now()`. */
  since: number;
}

/**
 * A page takes from the end of the one before it in its batch; the first one from when the batch is handed over, so that it
 * includes the wait for a thread.
 */
export function createPageSpans(stage: Span, name: PageSpan): PageSpans {
  const batchOf = new Map<number, Batch>();
  /** Of pages that nobody said the beginning of: each is alone. */
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

/** The same listener; each page that it hears of gets a span. */
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
