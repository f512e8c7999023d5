import type { PageListener, PagePool, PageRead } from "../../threads/pool.ts";
import type { JobContext } from "../context.ts";

/** The stand-in for a page number while the document is being converted or opened. */
export const opening = 0;

/** The pages of a stage, divided by the way in which they are processed. */
export interface PagePlan {
  /** Pages that are processed in batches. */
  readonly clean: readonly number[];
  /** Pages that were in flight when a claim's lease expired: each is tried alone, to identify a page that crashes its process. */
  readonly suspects: readonly number[];
}

export function planPages(pages: readonly number[], suspects: readonly number[]): PagePlan {
  const suspected = new Set(suspects);
  return {
    clean: pages.filter((page) => !suspected.has(page)),
    suspects: pages.filter((page) => suspected.has(page)),
  };
}

/** Opens documents; implemented by the pool and by isolated retries. */
export type DocumentReader = Pick<PagePool, "countPages" | "readPages">;

/** Returns the pool, or the isolated reader if the document itself is suspect. */
export function readerFor(context: Pick<JobContext, "pool" | "trials">, suspects: readonly number[]): DocumentReader {
  return suspects.includes(opening) ? isolatedReader(context) : context.pool;
}

/** Opens documents and pages in a separate process, page by page. */
export function isolatedReader({ trials }: Pick<JobContext, "trials">): DocumentReader {
  return {
    countPages: (file, signal) => trials.countPages(file, signal),
    async readPages({ file, pages }, on: PageListener<PageRead>, signal) {
      for (const page of pages) await on.page(await trials.readPage({ file, page }, signal));
    },
  };
}
