import { type Kysely, type RawBuilder, sql } from "kysely";
import type { DatasetId } from "../../../domain/ids.ts";
import { itemRows, type ItemRow } from "../../../domain/items/item.ts";
import type { ListResult } from "../../../domain/list.ts";
import type { ItemQuery, ItemRecord, PageRange, PageStore } from "../../../domain/ports/pages.ts";
import { batches } from "../batches.ts";
import { mergeRanges } from "../ranges.ts";
import type { Schema } from "../schema.ts";
import { rowsOf, type SliceKey } from "../slices.ts";
import { isDatasetThere } from "./dataset-rows.ts";

type ItemMethods = Pick<PageStore, "listItems" | "getItem" | "getItems">;

/** Whether the dataset has a served index. A page counts as embedded only while the index of its dataset exists. */
export const isServed = (datasetId: RawBuilder<unknown>): RawBuilder<unknown> => sql`exists (
  select 1 from "indices" where "indices"."datasetId" = ${datasetId} and "indices"."role" = 'served')`;

/** The column with the creation time of an item: all rendered items of a page have the same one. */
const timeOf = (row: ItemRow): "createdAt" | "embeddedAt" => (row === "embedding_image" ? "embeddedAt" : "createdAt");

/**
 * Items are not stored. Each page that can be read has the rows pdf and jpg, and embedding_image if it has been
 * embedded.
 */
export function itemMethods(db: Kysely<Schema>): ItemMethods {
  return {
    listItems: (query) => listItems(db, query),

    async getItem(datasetId, page, row) {
      const [found] = await getItems(db, [{ datasetId, page }], row);
      return found && { page, row, createdAt: found.createdAt };
    },

    async getItems(refs, row) {
      const distinct = new Map(refs.map((ref) => [`${ref.datasetId}/${ref.page}`, ref]));
      const found: (ItemRecord & { datasetId: DatasetId })[] = [];
      for (const batch of batches(distinct.values())) found.push(...(await getItems(db, batch, row)));
      return found;
    },
  };
}

async function getItems(
  db: Kysely<Schema>,
  refs: Parameters<PageStore["getItems"]>[0],
  row: ItemRow,
): ReturnType<PageStore["getItems"]> {
  const wanted = refs.map(({ datasetId, page }) => sql`(${datasetId}, ${literal(page)})`);
  const isEmbedded = sql`and pages."embeddedAt" is not null and ${isServed(sql`pages."datasetId"`)}`;
  const { rows } = await sql<ItemRecord & { datasetId: DatasetId }>`
    with wanted("datasetId", "page") as (values ${sql.join(wanted)})
    select pages."datasetId", pages."page", ${sql.lit(row)} as "row", pages.${sql.ref(timeOf(row))} as "createdAt"
    from wanted cross join pages
    where pages."datasetId" = wanted."datasetId" and pages."page" = wanted."page" and pages."failure" is null
      ${row === "embedding_image" ? isEmbedded : sql``}
      and exists (select 1 from "datasets" where "datasets"."id" = pages."datasetId")`.execute(db);
  return rows;
}

/** Implements `PageStore.listItems`: the database sorts the pages of each row and merges them. */
async function listItems(db: Kysely<Schema>, query: ItemQuery): Promise<ListResult<ItemRecord>> {
  const { datasetId, row, offset, limit } = query;
  const ranges = query.ranges && mergeRanges(query.ranges);
  const counts = await countItems(db, datasetId, ranges ?? [allPages]);
  const rows = (row === undefined ? itemRows.toSorted() : [row]).filter((each) => counts[each] > 0);
  const totalOf = (some: readonly ItemRow[]): number => some.reduce((sum, each) => sum + counts[each], 0);
  const read = (some: readonly ItemRow[], keys: readonly SliceKey[], place: Pick<ItemQuery, "offset" | "limit">) => {
    const parts = some.map((each) => pagesWith(db, { datasetId, ranges, row: each }));
    return rowsOf(db, parts, keys, { total: totalOf(some), ...place });
  };
  const [first, ...others] = keysOf(query.sort);
  if (first === undefined || first.column !== "row") {
    return { total: totalOf(rows), data: await read(rows, keysOf(query.sort), { offset, limit }) };
  }
  // Each row is read on its own, because SQLite would sort the pages although all of them have the same first key.
  const data: ItemRecord[] = [];
  let skipped = offset;
  for (const each of first.descending ? rows.toReversed() : rows) {
    data.push(...(await read([each], others, { offset: skipped, limit: limit - data.length })));
    skipped = Math.max(0, skipped - counts[each]);
  }
  return { total: totalOf(rows), data };
}

interface PagesOfRow {
  readonly datasetId: DatasetId;
  /** Undefined for all pages. */
  readonly ranges: readonly PageRange[] | undefined;
  readonly row: ItemRow;
}

/** Selects the pages that have the row. The conditions match the definitions of the indices by age. */
const pagesWith = (db: Kysely<Schema>, { datasetId, ranges, row }: PagesOfRow) =>
  db
    .selectFrom("pages")
    .select(["page", sql.lit(row).as("row"), sql<number>`${sql.ref(timeOf(row))}`.as("createdAt")])
    .where("datasetId", "=", datasetId)
    .where("failure", "is", null)
    .$if(row === "embedding_image", (pages) => pages.where("embeddedAt", "is not", null))
    .$if(ranges !== undefined, (pages) => pages.where(isWithin(datasetId, ranges ?? [])));

/**
 * Ties are broken by page, then by row; a repeated property has no effect. Names of rows sort as they do in item ids.
 */
function keysOf(sort: ItemQuery["sort"]): readonly SliceKey[] {
  const columns = { createdAt: "createdAt", col: "page", row: "row" } as const;
  const ties = (["col", "row"] as const).map((property) => ({ property, descending: false }));
  const keys = [...sort, ...ties].map(({ property, descending }) => ({ column: columns[property], descending }));
  return keys.filter(({ column }, at) => keys.findIndex((key) => key.column === column) === at);
}

/** All pages: no document has as many. */
const allPages: PageRange = { from: 0, to: 2 ** 31 - 1 };

/**
 * Several ranges become a table rather than one condition each, because conditions nest no deeper than 1,000 levels.
 */
function isWithin(datasetId: DatasetId, ranges: readonly PageRange[]): RawBuilder<boolean> {
  const [first, ...others] = ranges;
  if (first !== undefined && others.length === 0) return sql`"page" between ${first.from} and ${first.to}`;
  return sql`"page" in (with ${rangesTable(ranges)} select own."page" from "ranges" cross join "pages" as own
    where own."datasetId" = ${datasetId} and own."page" between "ranges"."low" and "ranges"."high")`;
}

function rangesTable(ranges: readonly PageRange[]): RawBuilder<unknown> {
  const rows = ranges.map(({ from, to }) => sql`(${literal(from)}, ${literal(to)})`);
  return sql`"ranges"("low", "high") as (values ${sql.join(rows)})`;
}

/** The block size of the table `pageCounts`, see migrations/0001-initial/pages.ts. */
const pagesPerBlock = 1_000;

/** Counts the items by row. Full blocks of pages have stored counts; pages of partly covered blocks are counted now. */
async function countItems(
  db: Kysely<Schema>,
  datasetId: DatasetId,
  ranges: readonly PageRange[],
): Promise<Readonly<Record<ItemRow, number>>> {
  if (ranges.length === 0) return { pdf: 0, jpg: 0, embedding_image: 0 };
  const size = sql.lit(pagesPerBlock);
  const from = sql`"block" * ${size}`;
  const to = sql`"block" * ${size} + ${size} - 1`;
  const sum = (counted: RawBuilder<unknown>, count: RawBuilder<unknown>): RawBuilder<unknown> => sql`
    sum(case when "low" <= ${from} and "high" >= ${to} then ${counted} else (
      select ${count} from pages where pages."datasetId" = ${datasetId} and "failure" is null
        and "page" between case when "low" > ${from} then "low" else ${from} end
        and case when "high" < ${to} then "high" else ${to} end) end)`;
  const { rows } = await sql<{
    readable: number | string | null;
    embedded: number | string | null;
    isServed: number | boolean;
  }>`
    with ${rangesTable(ranges)}
    select ${sum(sql`"readable"`, sql`count(*)`)} as "readable",
      ${sum(sql`"embedded"`, sql`count("embeddedAt")`)} as "embedded",
      ${isServed(sql`${datasetId}`)} as "isServed"
    from ranges cross join "pageCounts"
    where "datasetId" = ${datasetId} and "block" between "low" / ${size} and "high" / ${size} and ${isDatasetThere}`.execute(
    db,
  );
  const [found] = rows;
  const readable = Number(found?.readable ?? 0);
  return { pdf: readable, jpg: readable, embedding_image: found?.isServed ? Number(found.embedded ?? 0) : 0 };
}

/** Writes a number literally into the statement, because a parameter in a list of values has no type. */
function literal(page: number): RawBuilder<number> {
  if (!Number.isSafeInteger(page)) throw new TypeError(`not a page number: ${page}`);
  return sql.lit(page);
}
