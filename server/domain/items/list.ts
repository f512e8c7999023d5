import type { Caller } from "../caller.ts";
import { defaultLimit } from "../datasets/list.ts";
import { findDataset } from "../datasets/get.ts";
import type { Domain } from "../domain.ts";
import { itemSorts } from "../ports/pages.ts";
import { defaultShareSeconds, type Share } from "../shares/links.ts";
import { parseSort } from "../sort.ts";
import { parseCols } from "./cols.ts";
import type { PictureWidth } from "../shares/picture-width.ts";
import { type Contents, contentsOf, type Inclusion } from "./contents.ts";
import { type DatasetItem, itemId, type ItemRow } from "./item.ts";

export interface SharedItem extends DatasetItem, Contents {
  readonly share: Share;
}

export interface ListItemsInput {
  readonly datasetId: string;
  readonly row: ItemRow | undefined;
  readonly cols: readonly string[];
  readonly sort: readonly string[];
  readonly offset: number;
  readonly limit: number | undefined;
  readonly expiresInSeconds: number | undefined;
  readonly include: readonly Inclusion[];
  readonly pictureWidth: PictureWidth | undefined;
}

export interface ItemList {
  readonly sort: readonly string[];
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
  readonly data: readonly SharedItem[];
}

/** Items of one dataset, each with a share link. */
export async function listItems(
  domain: Domain,
  { caller, input, signal }: { caller: Caller; input: ListItemsInput; signal: AbortSignal },
): Promise<ItemList> {
  const sort = parseSort(input.sort, itemSorts);
  const ranges = parseCols(input.cols);
  const { id: datasetId, fileName, itemCount: pageCount } = await findDataset(domain, caller, input.datasetId);
  const { offset, limit = defaultLimit } = input;
  const { total, data } = await domain.metadata.pages.listItems({
    datasetId,
    row: input.row,
    ranges,
    sort: sort.keys,
    offset,
    limit,
  });
  const items = data.map((record) => ({
    ...record,
    datasetId,
    id: itemId({ ...record, datasetId }),
    fileName,
    pageCount,
  }));
  const { include, pictureWidth } = input;
  const contents = await contentsOf(domain, { items, include, pictureWidth }, signal);
  return {
    sort: sort.expressions,
    offset,
    limit,
    total,
    data: await shareItems(
      domain,
      items.map((item, index) => ({ ...item, ...contents[index] })),
      input.expiresInSeconds,
    ),
  };
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
