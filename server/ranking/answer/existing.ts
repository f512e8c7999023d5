import type { Caller } from "../../domain/caller.ts";
import type { Domain } from "../../domain/domain.ts";
import type { Filter } from "../../domain/filters/filter.ts";
import { matches } from "../../domain/filters/matches.ts";
import { type DatasetItem, itemId, type ItemRow } from "../../domain/items/item.ts";
import { ofDataset } from "../../domain/items/list.ts";
import { type PageHit, rowKey } from "../../domain/ports/vectors.ts";

/** What of a ranking is given out. */
export interface Wanted {
  readonly caller: Caller;
  /** Of the datasets, as it is when they are looked up. */
  readonly filter: Filter | undefined;
  readonly limit: number;
  readonly row: ItemRow;
}

export type FoundPage = DatasetItem & PageHit;

/** Pages of a ranking that are looked up together, for each that is wanted: nearly all of them are still there. */
const lookedUpPerResult = 2;

/**
 * The first of the ranking that can be given out, each page once: embedded pages of datasets that are still there. The index
 * may know pages of a deleted dataset for a moment longer; the metadata decides.
 */
export async function existing(
  domain: Domain,
  ranking: readonly PageHit[],
  { limit, ...wanted }: Wanted,
): Promise<readonly FoundPage[]> {
  const found = new Map<string, FoundPage>();
  const together = lookedUpPerResult * limit;
  for (let from = 0; from < ranking.length && found.size < limit; from += together) {
    for (const page of await existingOf(domain, ranking.slice(from, from + together), wanted)) {
      if (!found.has(page.id)) found.set(page.id, page);
    }
  }
  return [...found.values()].slice(0, limit);
}

async function existingOf(
  { metadata, clock }: Domain,
  hits: readonly PageHit[],
  { caller: { workspaceId }, filter, row }: Omit<Wanted, "limit">,
): Promise<readonly FoundPage[]> {
  // Rows of other generations, left by a claim that had lost its lease, do not count.
  const found = await metadata.pages.found(workspaceId, hits, clock());
  const passing = filter === undefined ? found : found.filter(({ dataset }) => matches(filter, dataset.metadata));
  const records = new Map(passing.map((record) => [rowKey(record), record]));
  return hits.flatMap((hit) => {
    const { datasetId, page, generation, score } = hit;
    const record = records.get(rowKey(hit));
    if (record === undefined) return [];
    const ref = { datasetId, page, row };
    const createdAt = record.embeddedAt;
    return [{ ...ref, id: itemId(ref), createdAt, ...ofDataset(record.dataset), generation, score }];
  });
}
