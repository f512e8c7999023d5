import { type Kysely, sql } from "kysely";
import type { DatasetId } from "../../../domain/ids.ts";
import type { ItemRecord, PageStore, ItemQuery } from "../../../domain/ports/pages.ts";
import { batches } from "../batches.ts";
import { isDatasetThere } from "./dataset-rows.ts";
import {
  isThere,
  itemColumns,
  rowsTable,
  literal,
  itemsIn,
  type Listing,
  readSpans,
  type Span,
  spansOf,
  type ItemSlice,
} from "./item-spans.ts";
import type { Schema } from "../schema.ts";
import { itemRows } from "../../../domain/items/item.ts";
import type { ListResult } from "../../../domain/list.ts";
import { listByAge } from "./items-by-age.ts";
import { mergeRanges } from "../ranges.ts";

type ItemMethods = Pick<PageStore, "listItems" | "getItem" | "getItems">;

/**
 * Items are not stored. They are the pages times the rows of each page: pdf and jpg if it can be read, embedding_image
 * if it has been embedded.
 */
export function itemMethods(db: Kysely<Schema>): ItemMethods {
  return {
    listItems: (query) => listItems(db, query),

    async getItem(datasetId, page, row) {
      const { rows } = await sql<ItemRecord>`
        with ${rowsTable([row])}
        select ${itemColumns} from pages cross join "rows"
        where pages."datasetId" = ${datasetId} and pages."page" = ${page} and ${isThere} and ${isDatasetThere}`.execute(
        db,
      );
      return rows[0];
    },

    async getItems(refs, row) {
      const found: (ItemRecord & { datasetId: DatasetId })[] = [];
      const distinct = new Map(refs.map((ref) => [`${ref.datasetId}/${ref.page}`, ref]));
      for (const batch of batches(distinct.values())) {
        const wanted = batch.map(({ datasetId, page }) => sql`(${datasetId}, ${literal(page)})`);
        const { rows } = await sql<ItemRecord & { datasetId: DatasetId }>`
          with wanted("datasetId", "page") as (values ${sql.join(wanted)}), ${rowsTable([row])}
          select pages."datasetId", ${itemColumns} from wanted cross join pages cross join "rows"
          where pages."datasetId" = wanted."datasetId" and pages."page" = wanted."page" and ${isThere}
            and exists (select 1 from "datasets" where "datasets"."id" = pages."datasetId")`.execute(db);
        found.push(...rows);
      }
      return found;
    },
  };
}

/** Implements `PageStore.listItems`. Skipped items are counted by blocks, not read. */
async function listItems(db: Kysely<Schema>, query: ItemQuery): Promise<ListResult<ItemRecord>> {
  const { datasetId, row, sort, offset, limit } = query;
  const ranges = query.ranges && mergeRanges(query.ranges);
  const spans = await spansOf(db, datasetId, ranges);
  const rows = row === undefined ? itemRows : [row];
  const total = itemsIn(spans, rows);
  return { total, data: await list({ db, datasetId, ranges, spans }, { rows, keys: sort, offset, limit }) };
}

function list(listing: Listing, slice: ItemSlice): Promise<readonly ItemRecord[]> {
  const [first, ...others] = slice.keys;
  switch (first?.property) {
    case "row":
      return listByRow(listing, { ...slice, keys: others }, first.descending);
    case "createdAt":
      return listByAge(listing, slice);
    case "col":
    case undefined:
      return listByPage(listing, slice, first?.descending ?? false);
  }
}

/** One row after another. */
async function listByRow(listing: Listing, slice: ItemSlice, descending: boolean): Promise<readonly ItemRecord[]> {
  const rows = descending ? slice.rows.toSorted().toReversed() : slice.rows.toSorted();
  const found: ItemRecord[] = [];
  let { offset, limit } = slice;
  for (const row of rows) {
    const items = itemsIn(listing.spans, [row]);
    if (offset < items && limit > 0) {
      const part = await list(listing, { rows: [row], keys: slice.keys, offset, limit });
      found.push(...part);
      limit -= part.length;
    }
    offset = Math.max(0, offset - items);
  }
  return found;
}

/** Reads only the spans that contain the requested items. */
async function listByPage(
  listing: Listing,
  { rows, keys, offset, limit }: ItemSlice,
  descending: boolean,
): Promise<readonly ItemRecord[]> {
  const wanted: Span[] = [];
  let [skipped, left] = [offset, offset + limit];
  for (const span of descending ? listing.spans.toReversed() : listing.spans) {
    const items = itemsIn([span], rows);
    if (wanted.length === 0 && skipped >= items) skipped -= items;
    else wanted.push(span);
    left -= items;
    if (left <= 0) break;
  }
  return readSpans({ ...listing, spans: wanted }, { rows, keys, offset: skipped, limit });
}
