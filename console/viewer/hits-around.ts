/** A page that a query has found. */
interface FoundPage {
  readonly datasetId: string;
  /** From 1. */
  readonly col: number;
}

interface HitsAround<Page> {
  /** The index of the shown page, from 0; undefined if it is not a hit. */
  readonly index: number | undefined;
  readonly count: number;
  readonly previous: Page | undefined;
  readonly next: Page | undefined;
}

/**
 * Returns the hits before and after a page, in the order of the answer: among the first `likely` ones, unless the page comes after
 * them. For a page that is not a hit, these are the nearest hits in its document, or else the first hit.
 */
export function hitsAround<Page extends FoundPage>(
  answer: readonly Page[],
  likely: number,
  { datasetId, col }: FoundPage,
): HitsAround<Page> {
  const at = answer.findIndex((page) => page.datasetId === datasetId && page.col === col);
  const hits = at >= likely || likely === 0 ? answer : answer.slice(0, likely);
  const count = hits.length;
  if (at !== -1) return { index: at, count, previous: hits[at - 1], next: hits[at + 1] };
  const near = hits.filter((page) => page.datasetId === datasetId).toSorted((one, other) => one.col - other.col);
  const after = near.find((page) => page.col > col);
  return { index: undefined, count, previous: near.findLast((page) => page.col < col), next: after ?? hits[0] };
}
