import type { PageCrashes } from "../../domain/ports/metadata.ts";

/** Often enough that chance is no explanation, seldom enough that a job with one bad page does not take all day. */
export const maxCrashes = 3;

/** The stand-in for a page number while the document is being opened. */
export const opening = 0;

export const crashReason = `the worker process died ${maxCrashes} times while it worked on this page`;

/** Pages in the order in which a job takes them up. */
export interface PagePlan {
  /** Never in flight when a worker died: taken up in batches. */
  readonly clean: readonly number[];
  /** In flight when a worker died: taken up one at a time, least suspect first, so that the culprit shows. */
  readonly suspects: readonly number[];
  /** Given up. */
  readonly fatal: readonly number[];
}

export function planPages(pages: readonly number[], crashes: readonly PageCrashes[]): PagePlan {
  const counts = new Map(crashes.map(({ page, crashes: count }) => [page, count]));
  const count = (page: number): number => counts.get(page) ?? 0;
  return {
    clean: pages.filter((page) => count(page) === 0),
    suspects: pages
      .filter((page) => count(page) > 0 && count(page) < maxCrashes)
      .toSorted((a, b) => count(a) - count(b) || a - b),
    fatal: pages.filter((page) => count(page) >= maxCrashes),
  };
}
