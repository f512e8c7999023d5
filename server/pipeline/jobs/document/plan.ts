/** The stand-in for a page number while the document is being converted or opened. */
export const opening = 0;

/** The pages of a stage by how they are worked on. */
export interface PagePlan {
  /** With others, in batches. */
  readonly clean: readonly number[];
  /** In flight when the lease of a claim ran out: each is tried alone, so that a page that ends its process is identified. */
  readonly suspects: readonly number[];
}

export function planPages(pages: readonly number[], suspects: readonly number[]): PagePlan {
  const suspected = new Set(suspects);
  return {
    clean: pages.filter((page) => !suspected.has(page)),
    suspects: pages.filter((page) => suspected.has(page)),
  };
}
