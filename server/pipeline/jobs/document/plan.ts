/** The stand-in for a page number while the document is being converted or opened. */
export const opening = 0;

/** The pages of a stage by how they are worked on. */
export interface PagePlan {
  /** With others, in batches. */
  readonly clean: readonly number[];
  /** In flight when a claim ended without a word: each apart from everything else, so that a culprit shows. */
  readonly suspects: readonly number[];
}

export function planPages(pages: readonly number[], suspects: readonly number[]): PagePlan {
  const suspected = new Set(suspects);
  return {
    clean: pages.filter((page) => !suspected.has(page)),
    suspects: pages.filter((page) => suspected.has(page)),
  };
}
