import { type RawBuilder, sql } from "kysely";
import type { ItemRow } from "../../../domain/items/item.ts";
import type { ItemRecord, ItemSort, PageRange } from "../../../domain/ports/pages.ts";
import { orderBy } from "./item-rows.ts";
import { union } from "../slices.ts";
import { findWindow, type TimeCount, type TimeSource, type Window } from "./item-windows.ts";
import { itemsIn, type Listing, literal, readSpans, type Stretch } from "./item-spans.ts";

/** So many items are read and sorted within a few milliseconds. */
const maxSorted = 20_000;
/** More ranges than this take longer to look through for each page than sorting takes. */
const maxPassedRanges = 4;
/** So many items are passed over within a millisecond; for more it pays to count them. */
const maxPassed = 2_000;

/**
 * Items by age. One index has the pages in the order in which they were read, another in that in which they were embedded:
 * both are merged. What is skipped is counted by the time, of which pages that were saved together have the same.
 */
export async function listByAge(listing: Listing, stretch: Stretch): Promise<readonly ItemRecord[]> {
  const { db, spans, ranges } = listing;
  const { rows, keys, offset, limit } = stretch;
  const total = itemsIn(spans, rows);
  if (offset >= total) return [];
  if (ranges !== undefined && (total <= maxSorted || ranges.length > maxPassedRanges)) {
    return readSpans(listing, stretch);
  }
  const descending = keys[0]?.descending ?? false;
  const window =
    offset > maxPassed ? await findWindow(timesOf(listing, rows), { total, offset, limit, descending }) : undefined;
  const skipped = window?.skipped ?? offset;
  const order = orderBy(keys, columns);
  const streams = rows.filter((row) => itemsIn(spans, [row]) > 0).map((row) => select(listing, row, window));
  const found = await sql<ItemRecord>`${union(db, streams, order, skipped + limit)}
    order by ${order} limit ${limit} offset ${skipped}`.execute(db);
  return found.rows;
}

/** The rows whose items have their times from one column: all that are rendered of a page have one time. */
function timesOf(listing: Listing, rows: readonly ItemRow[]): readonly TimeSource[] {
  const isEmbedding = (row: ItemRow): boolean => row === "embedding_image";
  return [rows.filter((row) => !isEmbedding(row)), rows.filter(isEmbedding)].flatMap((some) => {
    const [row] = some;
    if (row === undefined || itemsIn(listing.spans, [row]) === 0) return [];
    return [
      async ({ after, descending, count }): Promise<readonly TimeCount[]> => {
        const time = timeOf(row);
        const isAfter = after === undefined ? sql`` : sql`and ${time} ${sql.raw(descending ? "<" : ">")} ${after}`;
        const { rows: counted } = await sql<{ time: number; pages: number | string }>`
          select ${time} as "time", count(*) as "pages" ${source(listing, row)} ${isAfter}
          group by ${time} order by ${time} ${sql.raw(descending ? "desc" : "asc")} limit ${count}`.execute(listing.db);
        return counted.map(({ time: at, pages }) => ({ time: at, items: Number(pages) * some.length }));
      },
    ];
  });
}

const timeOf = (row: ItemRow): RawBuilder<unknown> => sql.ref(row === "embedding_image" ? "embeddedAt" : "createdAt");

function select(listing: Listing, row: ItemRow, window: Window | undefined): RawBuilder<unknown> {
  const within = window && sql`and ${timeOf(row)} between ${window.from} and ${window.to}`;
  return sql`select "page", ${sql.lit(row)} as "row", ${timeOf(row)} as "createdAt"
    ${source(listing, row)} ${within ?? sql``}`;
}

/** Written as the indices by age have it. */
function source({ datasetId, ranges }: Listing, row: ItemRow): RawBuilder<unknown> {
  const isEmbedded = row === "embedding_image" ? sql`and "embeddedAt" is not null` : sql``;
  const isWanted = ranges && sql`and (${sql.join(ranges.map(isWithin), sql` or `)})`;
  return sql`from pages where "datasetId" = ${datasetId} and "failure" is null ${isEmbedded} ${isWanted ?? sql``}`;
}

/** With a plus, which changes nothing of a number: SQLite would read the range by page, and sort all of it by age. */
const isWithin = ({ from, to }: PageRange): RawBuilder<unknown> =>
  sql`+"page" between ${literal(from)} and ${literal(to)}`;

const columns: Readonly<Record<ItemSort, RawBuilder<unknown>>> = {
  createdAt: sql.ref("createdAt"),
  col: sql.ref("page"),
  row: sql.ref("row"),
};
