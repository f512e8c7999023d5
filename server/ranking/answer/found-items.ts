import type { Caller } from "../../domain/caller.ts";
import type { Domain } from "../../domain/domain.ts";
import { type Filter, matches } from "../../domain/filters/filter.ts";
import { type DatasetItem, itemId, type ItemRow } from "../../domain/items/item.ts";
import { ofDataset } from "../../domain/items/list.ts";
import { type PageHit, rowKey, type SearchScope } from "../../domain/ports/vectors.ts";
import type { DatasetId } from "../../domain/ids.ts";

/** Selects the pages of a ranking to return. */
interface PageSelection {
  readonly caller: Caller;
  /** The filter of datasets, applied to their metadata at the time of the look-up. */
  readonly filter: Filter | undefined;
  readonly limit: number;
  readonly row: ItemRow;
}

export type FoundPage = DatasetItem & PageHit;

/**
 * Number of pages of a ranking that are looked up at a time, per requested page. Two are enough because nearly all pages still
 * exist.
 */
const lookedUpPerResult = 2;

/**
 * Returns the first pages of the ranking that are embedded and belong to datasets that still exist, each page once. The index may
 * have pages of a deleted dataset for a moment longer; the metadata decides.
 */
export async function existing(
  domain: Domain,
  ranking: readonly PageHit[],
  { limit, ...selection }: PageSelection,
): Promise<readonly FoundPage[]> {
  const found = new Map<string, FoundPage>();
  const together = lookedUpPerResult * limit;
  for (let from = 0; from < ranking.length && found.size < limit; from += together) {
    for (const page of await existingOf(domain, ranking.slice(from, from + together), selection)) {
      if (!found.has(page.id)) found.set(page.id, page);
    }
  }
  return [...found.values()].slice(0, limit);
}

async function existingOf(
  { metadata, clock }: Domain,
  hits: readonly PageHit[],
  { caller: { workspaceId }, filter, row }: Omit<PageSelection, "limit">,
): Promise<readonly FoundPage[]> {
  // Ignores rows of other generations, which a claim that had lost its lease left behind.
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

/**
 * Returns for each found item the items of up to `reach` pages before and after it, in page order and in the same rendition if
 * that exists.
 */
export async function neighboursOf(
  { metadata }: Pick<Domain, "metadata">,
  found: readonly DatasetItem[],
  reach: number,
): Promise<readonly (readonly DatasetItem[])[]> {
  const [first] = found;
  if (first === undefined || reach === 0) return found.map(() => []);
  const around = found.map((item) => pagesAround(item, reach).map((page) => ({ ...refOf(item), page })));
  const items = await metadata.pages.getItems(around.flat(), first.row);
  const createdAt = new Map(items.map((item) => [itemId(item), item.createdAt]));
  return around.map((refs) =>
    refs.flatMap((ref) => {
      const id = itemId(ref);
      const at = createdAt.get(id);
      return at === undefined ? [] : [{ ...ref, id, createdAt: at }];
    }),
  );
}

const refOf = ({ datasetId, publicDatasetId, row, fileName, pageCount, datasetMetadata }: DatasetItem) => ({
  datasetId,
  publicDatasetId,
  row,
  fileName,
  pageCount,
  datasetMetadata,
});

function pagesAround({ page, pageCount }: DatasetItem, reach: number): readonly number[] {
  const first = Math.max(1, page - reach);
  const last = Math.min(pageCount, page + reach);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index).filter((other) => other !== page);
}

/** Maximum number of datasets in the list. */
const maxNamed = 100;

/**
 * Returns the first hundred datasets in the scope whose pages a search may have missed, because part of the index was lost and is
 * being rebuilt. Call this after the search, because the search itself may discover the loss.
 */
export const incompleteDatasets = (
  { metadata }: Pick<Domain, "metadata">,
  { workspaceId, datasetIds }: Pick<SearchScope, "workspaceId" | "datasetIds">,
): Promise<readonly DatasetId[]> => metadata.indices.incomplete({ workspaceId, datasetIds }, maxNamed);
