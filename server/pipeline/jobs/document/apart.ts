import type { PageListener, PagePool, PageRead } from "../../threads/pool.ts";
import type { JobContext } from "../context.ts";
import { opening } from "./plan.ts";

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
