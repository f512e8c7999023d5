import type { Caller } from "../caller.ts";
import { findDatasets } from "../datasets/get.ts";
import { readWhole } from "../datasets/read-whole.ts";
import type { Domain } from "../domain.ts";
import type { ListResult } from "../list.ts";
import { parseCols } from "./cols.ts";
import type { DatasetItem, ItemRow } from "./item.ts";
import { type Completion, completeItems, itemOf, type SharedItem } from "./list.ts";

export interface GetItemsInput extends Completion {
  readonly wanted: readonly WantedPages[];
  /** Default: `jpg`. */
  readonly row: ItemRow | undefined;
  readonly offset: number;
  readonly limit: number | undefined;
}

export interface WantedPages {
  readonly datasetId: string;
  /** Empty for all pages. */
  readonly cols: readonly string[];
}

const maxItems = 100;

/** Lists items of several datasets, in the order of the request and by page. */
export async function getItems(domain: Domain, request: GetItems): Promise<ListResult<SharedItem>> {
  return readWhole(domain, request.caller, () => readItems(domain, request));
}

interface GetItems {
  readonly caller: Caller;
  readonly input: GetItemsInput;
  readonly signal: AbortSignal;
}

async function readItems(domain: Domain, { caller, input, signal }: GetItems): Promise<ListResult<SharedItem>> {
  const { wanted, row = "jpg", offset, limit = maxItems } = input;
  const ranges = wanted.map(({ cols }) => parseCols(cols));
  const datasets = await findDatasets(
    domain,
    caller,
    wanted.map(({ datasetId }) => datasetId),
  );
  const items: DatasetItem[] = [];
  let total = 0;
  for (const [index, { datasetId }] of wanted.entries()) {
    signal.throwIfAborted();
    const dataset = datasets.get(datasetId);
    if (dataset === undefined) continue;
    const { total: matching, data } = await domain.metadata.pages.listItems({
      datasetId: dataset.id,
      row,
      ranges: ranges[index],
      sort: [{ property: "col", descending: false }],
      offset: Math.max(0, offset - total),
      // At least 1, because further datasets still count towards the total.
      limit: Math.max(1, limit - items.length),
    });
    items.push(...data.slice(0, limit - items.length).map((record) => itemOf(record, dataset)));
    total += matching;
  }
  return { total, data: await completeItems(domain, items, input, signal) };
}
