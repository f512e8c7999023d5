import type { PageListener, PagePool, PageRead } from "../../threads/pool.ts";
import type { JobContext } from "../context.ts";
import { opening } from "./plan.ts";

/** What opens documents: the pool, or what has its methods. */
export type DocumentReader = Pick<PagePool, "countPages" | "readPages">;

/** Opens the document together with others; apart from them if it is suspect. */
export function readerFor(context: Pick<JobContext, "pool" | "trials">, suspects: readonly number[]): DocumentReader {
  return suspects.includes(opening) ? readerApart(context) : context.pool;
}

/** Opens documents and pages in a process of their own, page by page. */
export function readerApart({ trials }: Pick<JobContext, "trials">): DocumentReader {
  return {
    countPages: (file, signal) => trials.countPages(file, signal),
    async readPages({ file, pages }, on: PageListener<PageRead>, signal) {
      for (const page of pages) await on.page(await trials.readPage({ file, page }, signal));
    },
  };
}
