import { type RawBuilder, sql } from "kysely";
import type { ItemRow } from "../../../domain/items/item.ts";
import type { ItemRecord, ItemSort, PageRange } from "../../../domain/ports/pages.ts";
import { orderBy } from "./item-rows.ts";
import { union } from "../slices.ts";
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
  const window = offset > maxPassed ? await findWindow(listing, stretch, descending) : undefined;
  const skipped = window?.skipped ?? offset;
  const order = orderBy(keys, columns);
  const streams = rows.filter((row) => itemsIn(spans, [row]) > 0).map((row) => select(listing, row, window));
  const found = await sql<ItemRecord>`${union(db, streams, order, skipped + limit)}
    order by ${order} limit ${limit} offset ${skipped}`.execute(db);
  return found.rows;
}

/** The times between which the items of a stretch were made. */
interface Window {
  readonly from: number;
  readonly to: number;
  /** Items of the window that come before the stretch. */
  readonly skipped: number;
}

async function findWindow(listing: Listing, { rows, offset, limit }: Stretch, descending: boolean): Promise<Window> {
  const items = new Map<number, number>();
  const isEmbedding = (row: ItemRow): boolean => row === "embedding_image";
  // All that are rendered of a page have one time.
  for (const some of [rows.filter((row) => !isEmbedding(row)), rows.filter(isEmbedding)]) {
    const [row] = some;
    if (row === undefined || itemsIn(listing.spans, [row]) === 0) continue;
    const counted = await sql<{ createdAt: number; pages: number | string }>`
      select ${timeOf(row)} as "createdAt", count(*) as "pages" ${source(listing, row)}
      group by ${timeOf(row)}`.execute(listing.db);
    for (const { createdAt, pages } of counted.rows) {
      items.set(createdAt, (items.get(createdAt) ?? 0) + Number(pages) * some.length);
    }
  }
  const times = [...items.keys()].toSorted((one, other) => (descending ? other - one : one - other));
  let [skipped, left] = [offset, offset + limit];
  let [first, last] = [0, 0];
  let isFound = false;
  for (const time of times) {
    const count = items.get(time) ?? 0;
    if (!isFound && skipped >= count) skipped -= count;
    else {
      if (!isFound) first = time;
      isFound = true;
      last = time;
    }
    left -= count;
    if (left <= 0) break;
  }
  return { from: Math.min(first, last), to: Math.max(first, last), skipped };
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

const isWithin = ({ from, to }: PageRange): RawBuilder<unknown> =>
  sql`"page" between ${literal(from)} and ${literal(to)}`;

const columns: Readonly<Record<ItemSort, RawBuilder<unknown>>> = {
  createdAt: sql.ref("createdAt"),
  col: sql.ref("page"),
  row: sql.ref("row"),
};
