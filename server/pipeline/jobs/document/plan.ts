/** The stand-in for a page number while the document is being converted or opened. */
export const opening = 0;

/** The pages of a stage by the way in which they are processed. */
export interface PagePlan {
  /** Pages that are processed in batches. */
  readonly clean: readonly number[];
  /** Pages that were in flight when a claim's lease expired: each is tried alone, to identify a page that ends its process. */
  readonly suspects: readonly number[];
}

export function planPages(pages: readonly number[], suspects: readonly number[]): PagePlan {
  const suspected = new Set(suspects);
  return {
    clean: pages.filter((page) => !suspected.has(page)),
    suspects: pages.filter((page) => suspected.has(page)),
  };
}
