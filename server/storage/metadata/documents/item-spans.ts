import { type Kysely, type RawBuilder, sql } from "kysely";
import type { DatasetId } from "../../../domain/ids.ts";
import type { ItemRow } from "../../../domain/items/item.ts";
import type { SortKey } from "../../../domain/list.ts";
import type { ItemRecord, ItemSort, PageRange } from "../../../domain/ports/pages.ts";
import { isDatasetThere } from "./dataset-rows.ts";
import type { Schema } from "../schema.ts";

const itemCreatedAt = sql`case when "rows"."row" = 'embedding_image' then pages."embeddedAt" else pages."createdAt" end`;
export const itemColumns = sql`pages."page" as "page", "rows"."row" as "row", ${itemCreatedAt} as "createdAt"`;
/** Whether the dataset has a served index. Marks of embedding count only while their index exists. */
export const isServed = (datasetId: RawBuilder<unknown>): RawBuilder<unknown> => sql`exists (
  select 1 from "indices" where "indices"."datasetId" = ${datasetId} and "indices"."role" = 'served')`;
const isEmbedded = sql`pages."embeddedAt" is not null and ${isServed(sql`pages."datasetId"`)}`;
export const isThere = sql`pages."failure" is null and ("rows"."row" <> 'embedding_image' or (${isEmbedded}))`;

export function rowsTable(rows: readonly ItemRow[]): RawBuilder<unknown> {
  return sql`"rows"("row") as (values ${sql.join(rows.map((name) => sql`(${sql.lit(name)})`))})`;
}

/** The names of the rows sort like their letters in the item ids. */
const expressions: Readonly<Record<ItemSort, RawBuilder<unknown>>> = {
  createdAt: itemCreatedAt,
  col: sql`pages."page"`,
  row: sql`"rows"."row"`,
};

/** The order of the keys; page, then row break ties. `terms` are the expressions for the properties in a statement. */
export function orderBy(keys: readonly SortKey<ItemSort>[], terms = expressions): RawBuilder<unknown> {
  const known = new Set<ItemSort>();
  const ties = (["col", "row"] as const).map((property) => ({ property, descending: false }));
  // A repeated property has no effect.
  const distinct = [...keys, ...ties].filter(({ property }) => !known.has(property) && known.add(property));
  return sql.join(
    distinct.map(({ property, descending }) => sql`${terms[property]} ${descending ? sql`desc` : sql`asc`}`),
  );
}

/** The block size of the table `pageCounts`, see migrations/0001-initial/pages.ts. */
const pagesPerBlock = 1_000;

/** At most a thousand consecutive pages of a dataset, and how many of them have each row. */
export interface Span {
  readonly low: number;
  readonly high: number;
  readonly items: Readonly<Record<ItemRow, number>>;
  /** Bounds of the items' times; undefined if not known. */
  readonly times: Readonly<Record<ItemTime, TimeBounds | undefined>>;
}

/** The column with the time of an item: all rendered items of a page share one time. */
export type ItemTime = "createdAt" | "embeddedAt";

interface TimeBounds {
  readonly first: number;
  readonly last: number;
}

/** The items of a dataset that a list is about. */
export interface Listing {
  readonly db: Kysely<Schema>;
  readonly datasetId: DatasetId;
  /** Disjoint and ascending; undefined for all pages. */
  readonly ranges: readonly PageRange[] | undefined;
  /** The spans of the ranges, ascending. */
  readonly spans: readonly Span[];
}

/** A slice of a list of items: the rows, the order, and the offset and limit. */
export interface ItemSlice {
  readonly rows: readonly ItemRow[];
  readonly keys: readonly SortKey<ItemSort>[];
  readonly offset: number;
  readonly limit: number;
}

export const itemsIn = (spans: readonly Span[], rows: readonly ItemRow[]): number =>
  spans.reduce((sum, { items }) => sum + rows.reduce((some, row) => some + items[row], 0), 0);

/** Reads all items of the spans, sorts them, and returns a slice of them. */
export async function readSpans(
  { db, datasetId, spans }: Listing,
  { rows, keys, offset, limit }: ItemSlice,
): Promise<readonly ItemRecord[]> {
  if (spans.length === 0) return [];
  const found = await sql<ItemRecord>`
    with ${rangesTable(spans)}, ${rowsTable(rows)}
    select ${itemColumns} from ranges cross join pages cross join "rows"
    where pages."datasetId" = ${datasetId} and pages."page" between ranges."low" and ranges."high" and ${isThere}
    order by ${orderBy(keys)} limit ${limit} offset ${offset}`.execute(db);
  return found.rows;
}

/**
 * The requested pages of a dataset as ascending spans: whole blocks, whose counts are stored, and the ends of ranges,
 * whose pages are counted now. `ranges` are disjoint and ascending.
 */
export async function spansOf(
  db: Kysely<Schema>,
  datasetId: DatasetId,
  ranges: readonly PageRange[] | undefined,
): Promise<readonly Span[]> {
  const blocks = await db
    .selectFrom("pageCounts")
    .select(["block", "readable", "embedded"])
    .select(["firstCreatedAt", "lastCreatedAt", "firstEmbeddedAt", "lastEmbeddedAt"])
    .select(sql<number | boolean>`${isServed(sql`${datasetId}`)}`.as("isServed"))
    .where("datasetId", "=", datasetId)
    .where(isDatasetThere)
    .orderBy("block")
    .execute();
  const hasEmbeddings = Boolean(blocks[0]?.isServed);
  const all = blocks.map(({ block, readable, embedded, ...times }): Span => ({
    low: block * pagesPerBlock,
    high: (block + 1) * pagesPerBlock - 1,
    items: { pdf: readable, jpg: readable, embedding_image: hasEmbeddings ? embedded : 0 },
    times: {
      createdAt: boundsOf(times.firstCreatedAt, times.lastCreatedAt),
      embeddedAt: boundsOf(times.firstEmbeddedAt, times.lastEmbeddedAt),
    },
  }));
  if (ranges === undefined) return all;
  const pieces = all.flatMap((span) => within(span, ranges));
  const cut = pieces.filter((piece) => piece.items === undefined);
  const counted = await countItems(db, datasetId, cut);
  return pieces.map(({ low, high, items, times }) => {
    const found = items ?? counted.get(low) ?? none;
    return { low, high, times, items: hasEmbeddings ? found : { ...found, embedding_image: 0 } };
  });
}

const boundsOf = (first: number | null, last: number | null): TimeBounds | undefined =>
  first === null || last === null ? undefined : { first, last };

const none: Span["items"] = { pdf: 0, jpg: 0, embedding_image: 0 };

type Piece = Pick<Span, "low" | "high" | "times"> & { readonly items: Span["items"] | undefined };

/** The intersection of a block with the ranges; its items are known if it is the whole block. */
function within({ low, high, items, times }: Span, ranges: readonly PageRange[]): Piece[] {
  return ranges
    .filter(({ from, to }) => from <= high && to >= low)
    .map(({ from, to }) => {
      // No page has number 0.
      const isWhole = from <= Math.max(low, 1) && to >= high;
      return { low: Math.max(from, low), high: Math.min(to, high), times, items: isWhole ? items : undefined };
    });
}

/** Counts the items of each piece, by its first page. */
async function countItems(
  db: Kysely<Schema>,
  datasetId: DatasetId,
  pieces: readonly Pick<Span, "low" | "high">[],
): Promise<ReadonlyMap<number, Span["items"]>> {
  if (pieces.length === 0) return new Map();
  // One sub-query for each piece, which uses the primary key whatever the database estimates.
  const inRange = (count: RawBuilder<unknown>): RawBuilder<unknown> => sql`select ${count} from pages
    where "datasetId" = ${datasetId} and "page" between ranges."low" and ranges."high" and "failure" is null`;
  const { rows } = await sql<{ low: number; readable: number | string; embedded: number | string }>`
    with ${rangesTable(pieces)}
    select ranges."low", (${inRange(sql`count(*)`)}) as "readable", (${inRange(sql`count("embeddedAt")`)}) as "embedded"
    from ranges`.execute(db);
  return new Map(
    rows.map(({ low, readable, embedded }) => {
      const [made, found] = [Number(readable), Number(embedded)];
      return [low, { pdf: made, jpg: made, embedding_image: found }];
    }),
  );
}

/** A table of ranges instead of a condition for each, since conditions may nest no deeper than a thousand levels. */
function rangesTable(ranges: readonly Pick<Span, "low" | "high">[]): RawBuilder<unknown> {
  const rows = ranges.map(({ low, high }) => sql`(${literal(low)}, ${literal(high)})`);
  return sql`ranges("low", "high") as (values ${sql.join(rows)})`;
}

/** Writes a number into the statement, where it has a type; a parameter in a list of values has none. */
export function literal(page: number): RawBuilder<number> {
  if (!Number.isSafeInteger(page)) throw new TypeError(`not a page number: ${page}`);
  return sql.lit(page);
}
