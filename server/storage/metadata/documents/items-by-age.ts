import { type RawBuilder, sql } from "kysely";
import type { ItemRow } from "../../../domain/items/item.ts";
import type { ItemRecord, ItemSort, PageRange } from "../../../domain/ports/pages.ts";
import { orderBy, itemsIn, type ItemTime, type Listing, literal, readSpans, type ItemSlice } from "./item-spans.ts";
import { union } from "../slices.ts";
import {
  findWindow,
  type TimeCount,
  type TimeSource,
  type Window,
  type BoundedItems,
  boundSlice,
} from "./item-windows.ts";

/** Up to this many items are read and sorted, within a few milliseconds. */
const maxSorted = 20_000;
/** With more ranges than this, checking them for each page takes longer than sorting. */
const maxPassedRanges = 4;
/** Up to this many items are skipped by reading them, within a millisecond; beyond that, counting them is faster. */
const maxPassed = 2_000;
/** If the blocks locate a slice no better than this, items are counted by their times. */
const maxPassedInWindow = 10_000;
const maxPagesAcross = 8_000;

/**
 * Lists items by age. One index has the pages in the order in which they were read, another in the order in which they
 * were embedded; both are merged. Skipped items are counted by their times, which are equal for pages that were saved
 * together.
 */
export async function listByAge(listing: Listing, slice: ItemSlice): Promise<readonly ItemRecord[]> {
  const { db, spans, ranges } = listing;
  const { rows, keys, offset, limit } = slice;
  const total = itemsIn(spans, rows);
  if (offset >= total) return [];
  if (ranges !== undefined && (total <= maxSorted || ranges.length > maxPassedRanges)) {
    return readSpans(listing, slice);
  }
  const descending = keys[0]?.descending ?? false;
  const place = { total, offset, limit, descending };
  const window =
    offset <= maxPassed
      ? undefined
      : ((await windowOfBlocks(listing, rows, place)) ?? (await findWindow(timesOf(listing, rows), place)));
  const skipped = window?.skipped ?? offset;
  const order = orderBy(keys, columns);
  const streams = rows.filter((row) => itemsIn(spans, [row]) > 0).map((row) => select(listing, row, window));
  const found = await sql<ItemRecord>`${union(db, streams, order, skipped + limit)}
    order by ${order} limit ${limit} offset ${skipped}`.execute(db);
  return found.rows;
}

/**
 * The window according to the time bounds of whole blocks. Documents are read and embedded roughly from the first page
 * to the last, so the times of few blocks overlap. Undefined if the bounds are too vague.
 */
async function windowOfBlocks(
  { db, datasetId, spans }: Listing,
  rows: readonly ItemRow[],
  { total, offset, limit, descending }: SliceByAge,
): Promise<Window | undefined> {
  const blocks: Block[] = [];
  for (const [time, some] of byTime(rows)) {
    for (const span of spans) {
      const items = itemsIn([span], some);
      const bounds = span.times[time];
      if (items === 0) continue;
      if (bounds === undefined) return undefined;
      blocks.push({ ...span, ...bounds, items, time, each: some.length });
    }
  }
  const taken = Math.min(limit, total - offset);
  const { from, to, passed, across } = boundSlice(blocks, { offset, taken, descending });
  const pages = across.reduce((sum, { low, high }) => sum + high - low + 1, 0);
  if (offset - passed > maxPassedInWindow || pages > maxPagesAcross) return undefined;
  const isBefore = descending ? sql`> ${to}` : sql`< ${from}`;
  const counts = across.map(({ low, high, time, each }) => {
    const column = sql.ref(time);
    return sql`(select count(*) from pages where "datasetId" = ${datasetId} and "page" between ${literal(low)} and ${literal(high)}
      and "failure" is null and ${column} ${isBefore}) * ${sql.lit(each)}`;
  });
  if (counts.length === 0) return { from, to, skipped: offset - passed };
  const { rows: found } = await sql<{
    items: number | string;
  }>`select ${sql.join(counts, sql` + `)} as "items"`.execute(db);
  return { from, to, skipped: offset - passed - Number(found[0]?.items ?? 0) };
}

interface SliceByAge {
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  readonly descending: boolean;
}

/** Pages, and those of their items that share one time column. */
interface Block extends BoundedItems {
  readonly low: number;
  readonly high: number;
  readonly time: ItemTime;
  /** Number of items per page. */
  readonly each: number;
}

/** Groups the rows by the column that has the times of their items. */
function byTime(rows: readonly ItemRow[]): readonly (readonly [ItemTime, readonly ItemRow[]])[] {
  return (["createdAt", "embeddedAt"] as const).map((time) => [time, rows.filter((row) => timeOf(row) === time)]);
}

function timesOf(listing: Listing, rows: readonly ItemRow[]): readonly TimeSource[] {
  return byTime(rows).flatMap(([column, some]) => {
    const [row] = some;
    if (row === undefined || itemsIn(listing.spans, [row]) === 0) return [];
    return [
      async ({ after, descending, count }): Promise<readonly TimeCount[]> => {
        const time = sql.ref(column);
        const isAfter = after === undefined ? sql`` : sql`and ${time} ${sql.raw(descending ? "<" : ">")} ${after}`;
        const { rows: counted } = await sql<{ time: number; pages: number | string }>`
          select ${time} as "time", count(*) as "pages" ${source(listing, row)} ${isAfter}
          group by ${time} order by ${time} ${sql.raw(descending ? "desc" : "asc")} limit ${count}`.execute(listing.db);
        return counted.map(({ time: at, pages }) => ({ time: at, items: Number(pages) * some.length }));
      },
    ];
  });
}

const timeOf = (row: ItemRow): ItemTime => (row === "embedding_image" ? "embeddedAt" : "createdAt");

function select(listing: Listing, row: ItemRow, window: Window | undefined): RawBuilder<unknown> {
  const time = sql.ref(timeOf(row));
  const within = window && sql`and ${time} between ${window.from} and ${window.to}`;
  return sql`select "page", ${sql.lit(row)} as "row", ${time} as "createdAt"
    ${source(listing, row)} ${within ?? sql``}`;
}

/** The condition is written as in the definitions of the indices by age. */
function source({ datasetId, ranges }: Listing, row: ItemRow): RawBuilder<unknown> {
  const isEmbedded = row === "embedding_image" ? sql`and "embeddedAt" is not null` : sql``;
  const isWanted = ranges && sql`and (${sql.join(ranges.map(isWithin), sql` or `)})`;
  return sql`from pages where "datasetId" = ${datasetId} and "failure" is null ${isEmbedded} ${isWanted ?? sql``}`;
}

/**
 * The plus, which does not change a number, keeps SQLite from reading the range by page and sorting all of it by age.
 */
const isWithin = ({ from, to }: PageRange): RawBuilder<unknown> =>
  sql`+"page" between ${literal(from)} and ${literal(to)}`;

const columns: Readonly<Record<ItemSort, RawBuilder<unknown>>> = {
  createdAt: sql.ref("createdAt"),
  col: sql.ref("page"),
  row: sql.ref("row"),
};
