import { createClient } from "@connectrpc/connect";
import type { Connection, RequestOptions } from "../connection.ts";
import { ItemService } from "../gen/drs/v1/items_pb.ts";
import { entriesOf, type ListQuery, type Page, type PageQuery } from "../pages.ts";
import type { LinkOptions } from "../shares/share.ts";
import { valueOf } from "../wire-names.ts";
import { type Item, type Include, includes, type ItemRow, itemOf, itemRows, type PictureWidth } from "./item.ts";

export interface ItemFilter extends LinkOptions {
  /** Only items of this format; default: all. */
  readonly row?: ItemRow | undefined;
  /** Only these pages: 16, "5:10" with both ends, "5:", ":10", or several with commas; default: all. */
  readonly cols?: string | number | readonly (string | number)[] | undefined;
  /** Sort order: createdAt, col or row, with "-" in front for descending; default "-createdAt". */
  readonly sort?: readonly string[] | undefined;
  /**
   * Contents that the items include, at most 8 MiB per response, in order; highlights and snippets are for searches
   * only.
   */
  readonly include?: readonly Include[] | undefined;
  /** Width of the pictures of `include: ["picture"]`; default 1024. */
  readonly pictureWidth?: PictureWidth | undefined;
}

/** Pages of a dataset; all if `cols` is undefined. */
export interface WantedPages extends Pick<ItemFilter, "cols"> {
  readonly datasetId: string;
}

/** `row`: default "jpg". `limit`: up to 100, which is the default. */
export type SeveralItemsQuery = Omit<ItemFilter, "cols" | "sort"> & PageQuery;

export interface Items {
  /** Items appear page by page while the job still runs. */
  list(datasetId: string, query?: ItemFilter & ListQuery, options?: RequestOptions): AsyncIterable<Item>;
  page(datasetId: string, query?: ItemFilter & PageQuery, options?: RequestOptions): Promise<Page<Item>>;
  /** Returns items of up to 100 datasets in one request: in the given order of datasets, and by page. */
  several(wanted: readonly WantedPages[], query?: SeveralItemsQuery, options?: RequestOptions): Promise<Page<Item>>;
}

export function createItems(connection: Connection): Items {
  const client = createClient(ItemService, connection.transport);
  const items: Items = {
    list: (datasetId, query = {}, options) =>
      entriesOf(query, (part) => items.page(datasetId, { ...query, ...part }, options)),
    async page(
      datasetId,
      { row, cols, sort = [], offset = 0, limit, expiresInSeconds, include = [], pictureWidth } = {},
      options,
    ) {
      const wireRow = row === undefined ? undefined : valueOf(itemRows, row);
      const request = {
        datasetId,
        row: wireRow,
        cols: pageExpressions(cols),
        sort: [...sort],
        offset,
        limit,
        expiresInSeconds,
        include: include.map((word) => valueOf(includes, word)),
        pictureWidth,
      };
      const answer = await connection.call((call) => client.listItems(request, call), options);
      return { total: answer.total, offset: answer.offset, limit: answer.limit, data: answer.data.map(itemOf) };
    },
    async several(wanted, { row, offset = 0, limit, expiresInSeconds, include = [], pictureWidth } = {}, options) {
      const request = {
        wanted: wanted.map(({ datasetId, cols }) => ({ datasetId, cols: pageExpressions(cols) })),
        row: row === undefined ? undefined : valueOf(itemRows, row),
        offset,
        limit,
        expiresInSeconds,
        include: include.map((word) => valueOf(includes, word)),
        pictureWidth,
      };
      const answer = await connection.call((call) => client.getItems(request, call), options);
      return { total: answer.total, offset, limit: limit ?? 100, data: answer.data.map(itemOf) };
    },
  };
  return items;
}

function pageExpressions(cols: ItemFilter["cols"] = []): string[] {
  const list = typeof cols === "string" || typeof cols === "number" ? [cols] : cols;
  return list.flatMap((expression) => String(expression).split(","));
}
