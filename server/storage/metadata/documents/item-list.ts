import type { Kysely } from "kysely";
import { itemRows } from "../../../domain/items/item.ts";
import type { ListResult } from "../../../domain/ports/list.ts";
import type { ItemQuery, ItemRecord } from "../../../domain/ports/pages.ts";
import { listByAge } from "./item-ages.ts";
import { itemsIn, type Listing, readSpans, type Span, spansOf, type Stretch } from "./item-spans.ts";
import { mergeRanges } from "../ranges.ts";
import type { Schema } from "../schema.ts";

/** What `PageStore.listItems` does. What is skipped is counted by the block, not read. */
export async function listItems(db: Kysely<Schema>, query: ItemQuery): Promise<ListResult<ItemRecord>> {
  const { datasetId, row, sort, offset, limit } = query;
  const ranges = query.ranges && mergeRanges(query.ranges);
  const spans = await spansOf(db, datasetId, ranges);
  const rows = row === undefined ? itemRows : [row];
  const total = itemsIn(spans, rows);
  return { total, data: await list({ db, datasetId, ranges, spans }, { rows, keys: sort, offset, limit }) };
}

function list(listing: Listing, stretch: Stretch): Promise<readonly ItemRecord[]> {
  const [first, ...others] = stretch.keys;
  switch (first?.property) {
    case "row":
      return listByRow(listing, { ...stretch, keys: others }, first.descending);
    case "createdAt":
      return listByAge(listing, stretch);
    case "col":
    case undefined:
      return listByPage(listing, stretch, first?.descending ?? false);
  }
}

/** One row after another. */
async function listByRow(listing: Listing, stretch: Stretch, descending: boolean): Promise<readonly ItemRecord[]> {
  const rows = descending ? stretch.rows.toSorted().toReversed() : stretch.rows.toSorted();
  const found: ItemRecord[] = [];
  let { offset, limit } = stretch;
  for (const row of rows) {
    const items = itemsIn(listing.spans, [row]);
    if (offset < items && limit > 0) {
      const part = await list(listing, { rows: [row], keys: stretch.keys, offset, limit });
      found.push(...part);
      limit -= part.length;
    }
    offset = Math.max(0, offset - items);
  }
  return found;
}

/** Reads only the spans that have the wanted items. */
async function listByPage(
  listing: Listing,
  { rows, keys, offset, limit }: Stretch,
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
