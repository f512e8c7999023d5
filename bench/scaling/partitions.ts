import type { Organisation } from "./tenants.ts";

/** A table of vectors of one space. */
export interface Partition {
  readonly pages: number;
  readonly organisations: number;
}

export interface Layout {
  readonly partitions: readonly Partition[];
  /** Indexes of partitions by organisation. A search asks all partitions of its organisation. */
  readonly ofOrganisation: readonly (readonly number[])[];
}

/** All organisations in one table, as the vector store has them. */
export function oneTable(organisations: readonly Organisation[]): Layout {
  const pages = organisations.reduce((sum, each) => sum + each.pages, 0);
  return {
    partitions: [{ pages, organisations: organisations.length }],
    ofOrganisation: organisations.map(() => [0]),
  };
}

/**
 * Makes tables of at most `maxPages` pages. A larger organisation has its own tables, over which its datasets are spread evenly;
 * the other organisations share tables, and none of them is split.
 */
export function bounded(organisations: readonly Organisation[], maxPages: number): Layout {
  const partitions: { pages: number; organisations: number }[] = [];
  let shared: number | undefined;
  const ofOrganisation = organisations.map(({ pages }) => {
    if (pages > maxPages) {
      const count = Math.ceil(pages / maxPages);
      return Array.from({ length: count }, (_, index) => {
        const from = Math.floor((pages * index) / count);
        const to = Math.floor((pages * (index + 1)) / count);
        return partitions.push({ pages: to - from, organisations: 1 }) - 1;
      });
    }
    const open = shared === undefined ? undefined : partitions[shared];
    if (shared === undefined || open === undefined || open.pages + pages > maxPages) {
      shared = partitions.push({ pages, organisations: 1 }) - 1;
    } else {
      open.pages += pages;
      open.organisations += 1;
    }
    return [shared];
  });
  return { partitions, ofOrganisation };
}
