import type { Caller } from "../caller.ts";
import { type Dataset, publicId } from "../datasets/dataset.ts";
import { findDataset, findDatasets, defaultLimit, readWhole } from "../datasets/read.ts";
import type { Domain } from "../domain.ts";
import { invalid } from "../errors.ts";
import { type ListResult, parseSort } from "../list.ts";
import { type ItemRecord, itemSorts, type PageRange } from "../ports/pages.ts";
import { defaultShareSeconds, type Share } from "../shares/links.ts";
import { type PictureWidth, type DatasetItem, itemId, type ItemRow } from "./item.ts";
import { type Contents, contentsOf, type Inclusion } from "./contents.ts";

export interface SharedItem extends DatasetItem, Contents {
  readonly share: Share;
}

/** Options that readers of items have in common. */
interface Completion {
  readonly expiresInSeconds: number | undefined;
  readonly include: readonly Inclusion[];
  readonly pictureWidth: PictureWidth | undefined;
}

export interface ListItemsInput extends Completion {
  readonly datasetId: string;
  readonly row: ItemRow | undefined;
  readonly cols: readonly string[];
  readonly sort: readonly string[];
  readonly offset: number;
  readonly limit: number | undefined;
}

export interface ItemList {
  readonly sort: readonly string[];
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
  readonly data: readonly SharedItem[];
}

/** Lists items of one dataset, each with a share link. */
export async function listItems(
  domain: Domain,
  { caller, input, signal }: { caller: Caller; input: ListItemsInput; signal: AbortSignal },
): Promise<ItemList> {
  const sort = parseSort(input.sort, itemSorts);
  const ranges = parseCols(input.cols);
  const { offset, limit = defaultLimit } = input;
  const { total, data } = await readWhole(domain, caller, async () => {
    const dataset = await findDataset(domain, caller, input.datasetId);
    const listed = await domain.metadata.pages.listItems({
      datasetId: dataset.id,
      row: input.row,
      ranges,
      sort: sort.keys,
      offset,
      limit,
    });
    const items = listed.data.map((record) => itemOf(record, dataset));
    return { total: listed.total, data: await completeItems(domain, items, input, signal) };
  });
  return { sort: sort.expressions, offset, limit, total, data };
}

/** Builds an item from its record and its dataset. */
function itemOf(
  record: ItemRecord,
  dataset: Pick<Dataset, "id" | "versionOf" | "fileName" | "itemCount" | "metadata">,
): DatasetItem {
  const ref = { ...record, datasetId: dataset.id };
  return { ...ref, id: itemId(ref), ...ofDataset(dataset) };
}

/** The fields of an item that describe its document. */
export const ofDataset = (
  dataset: Pick<Dataset, "id" | "versionOf" | "fileName" | "itemCount" | "metadata">,
): Pick<DatasetItem, "publicDatasetId" | "fileName" | "pageCount" | "datasetMetadata"> => ({
  publicDatasetId: publicId(dataset),
  fileName: dataset.fileName,
  pageCount: dataset.itemCount,
  datasetMetadata: dataset.metadata,
});

/** Adds links and contents to items. */
async function completeItems(
  domain: Domain,
  items: readonly DatasetItem[],
  { include, pictureWidth, expiresInSeconds }: Completion,
  signal: AbortSignal,
): Promise<readonly SharedItem[]> {
  const ofQueries = include.find((word) => word === "highlights" || word === "snippet");
  if (ofQueries !== undefined) {
    throw invalid(`include has "${ofQueries}", which shows the words of a question; ask for it with a search`);
  }
  const contents = await contentsOf(domain, { items, include, pictureWidth }, signal);
  const whole = items.map((item, index) => ({ ...item, ...contents[index] }));
  return shareItems(domain, whole, expiresInSeconds);
}

export async function shareItems<Item extends DatasetItem>(
  { shareLinks }: Domain,
  items: readonly Item[],
  expiresInSeconds = defaultShareSeconds,
): Promise<readonly (Item & { readonly share: Share })[]> {
  const links = await shareLinks.create(
    items.map(({ id }) => id),
    expiresInSeconds,
  );
  return items.flatMap((item, index) => {
    const share = links[index];
    return share === undefined ? [] : [{ ...item, share }];
  });
}

interface GetItemsInput extends Completion {
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

/** Larger than the page count of any document; the end of an open range. */
export const lastPage = 2 ** 31 - 1;
const maxExpressions = 1000;

/**
 * Reads page expressions: `16`, `5:10` (both ends included), `5:`, `:10`, separated by commas, spaces allowed.
 * Undefined for all pages if there are none. Throws `invalid`, naming the wrong expression.
 */
export function parseCols(cols: readonly string[]): readonly PageRange[] | undefined {
  const expressions = cols.flatMap((text) => text.split(",")).map((text) => text.trim());
  if (expressions.every((text) => text === "")) return undefined;
  if (expressions.length > maxExpressions) {
    throw invalid(`cols may have at most ${maxExpressions} page expressions, these are ${expressions.length}`);
  }
  return expressions.map(parseRange);
}

function parseRange(text: string): PageRange {
  const match = /^(?:(\d+)|(\d*)\s*:\s*(\d*))$/.exec(text);
  const [, single, first, last] = match ?? [];
  if (match === null || (single === undefined && !first && !last)) {
    throw wrong(text, 'use page numbers ("16") and ranges ("5:10", "5:", ":10")');
  }
  const from = Number(single ?? (first || 1));
  const to = Number(single ?? (last || lastPage));
  if (from < 1 || to < 1) throw wrong(text, "page numbers start at 1");
  if (from > to) throw wrong(text, "the range is reversed");
  return { from: Math.min(from, lastPage), to: Math.min(to, lastPage) };
}

function wrong(text: string, reason: string): Error {
  return invalid(`cols has ${JSON.stringify(text.slice(0, 40))}: ${reason}`);
}
