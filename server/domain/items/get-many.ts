import type { Caller } from "../caller.ts";
import { findDataset } from "../datasets/get.ts";
import type { Domain } from "../domain.ts";
import type { ListResult } from "../ports/list.ts";
import { parseCols } from "./cols.ts";
import type { DatasetItem, ItemRow } from "./item.ts";
import { type Completion, completeItems, itemOf, type SharedItem } from "./list.ts";

export interface GetItemsInput extends Completion {
  readonly wanted: readonly WantedPages[];
  /** Undefined: `jpg`. */
  readonly row: ItemRow | undefined;
  readonly offset: number;
  readonly limit: number | undefined;
}

export interface WantedPages {
  readonly datasetId: string;
  /** All pages when empty. */
  readonly cols: readonly string[];
}

const maxItems = 100;

/** Items of several datasets, in the order in which these are named, of each by page. */
export async function getItems(
  domain: Domain,
  { caller, input, signal }: { caller: Caller; input: GetItemsInput; signal: AbortSignal },
): Promise<ListResult<SharedItem>> {
  const { wanted, row = "jpg", offset, limit = maxItems } = input;
  const ranges = wanted.map(({ cols }) => parseCols(cols));
  const items: DatasetItem[] = [];
  let total = 0;
  for (const [index, { datasetId }] of wanted.entries()) {
    signal.throwIfAborted();
    const dataset = await findDataset(domain, caller, datasetId);
    const { total: matching, data } = await domain.metadata.pages.listItems({
      datasetId: dataset.id,
      row,
      ranges: ranges[index],
      sort: [{ property: "col", descending: false }],
      offset: Math.max(0, offset - total),
      // Also where no more are wanted: they count.
      limit: Math.max(1, limit - items.length),
    });
    items.push(...data.slice(0, limit - items.length).map((record) => itemOf(record, dataset)));
    total += matching;
  }
  return { total, data: await completeItems(domain, items, input, signal) };
}
