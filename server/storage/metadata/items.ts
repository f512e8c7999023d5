import { sql, type Kysely, type RawBuilder } from "kysely";
import type { DatasetId } from "../../domain/ids.ts";
import { itemRows, type ItemRow } from "../../domain/items/item.ts";
import type { ItemQuery, ItemRecord, ItemSort, PageRange, PageStore } from "../../domain/ports/metadata.ts";
import { batches } from "./batches.ts";
import { mergeRanges } from "./ranges.ts";
import type { Schema } from "./schema.ts";

type ItemMethods = Pick<PageStore, "listItems" | "getItem" | "getItems">;

/**
 * Items are not stored. They are the pages times the rows that a page has: pdf and jpg when it can be read,
 * embedding_image when it has been embedded.
 */
export function itemMethods(db: Kysely<Schema>): ItemMethods {
  return {
    listItems: (query) => listItems(db, query),

    async getItem(datasetId, page, row) {
      const { rows } = await sql<ItemRecord>`
        with ${rowsTable(row)}
        select ${itemColumns} from pages cross join "rows"
        where pages."datasetId" = ${datasetId} and pages."page" = ${page} and ${isThere}`.execute(db);
      return rows[0];
    },

    async getItems(refs, row) {
      const found: (ItemRecord & { datasetId: DatasetId })[] = [];
      const distinct = new Map(refs.map((ref) => [`${ref.datasetId}/${ref.page}`, ref]));
      for (const batch of batches(distinct.values())) {
        const wanted = batch.map(({ datasetId, page }) => sql`(${datasetId}, ${literal(page)})`);
        const { rows } = await sql<ItemRecord & { datasetId: DatasetId }>`
          with wanted("datasetId", "page") as (values ${sql.join(wanted)}), ${rowsTable(row)}
          select pages."datasetId", ${itemColumns} from wanted cross join pages cross join "rows"
          where pages."datasetId" = wanted."datasetId" and pages."page" = wanted."page" and ${isThere}`.execute(db);
        found.push(...rows);
      }
      return found;
    },
  };
}

async function listItems(
  db: Kysely<Schema>,
  { datasetId, row, ranges, sort, offset, limit }: ItemQuery,
): Promise<{ total: number; data: readonly ItemRecord[] }> {
  const within = ranges && mergeRanges(ranges);
  if (within?.length === 0) return { total: 0, data: [] };
  const tables = within === undefined ? rowsTable(row) : sql`${rangesTable(within)}, ${rowsTable(row)}`;
  // The order matters to SQLite, which takes the tables of a cross join from left to right: by range, then by key.
  const source = within === undefined ? sql`pages cross join "rows"` : sql`ranges cross join pages cross join "rows"`;
  const inRange = within === undefined ? sql`` : sql`and pages."page" between ranges."low" and ranges."high"`;
  const matching = sql`
    from ${source}
    where pages."datasetId" = ${datasetId} ${inRange} and ${isThere}`;
  const counted = await sql<{ total: number | string }>`with ${tables} select count(*) as "total" ${matching}`.execute(
    db,
  );
  const order = [
    ...sort,
    { property: "col" as const, descending: false },
    { property: "row" as const, descending: false },
  ];
  const { rows } = await sql<ItemRecord>`
    with ${tables} select ${itemColumns} ${matching}
    order by ${sql.join(order.map(({ property, descending }) => sql`${orderings[property]} ${descending ? sql`desc` : sql`asc`}`))}
    limit ${limit} offset ${offset}`.execute(db);
  return { total: Number(counted.rows[0]?.total ?? 0), data: rows };
}

const createdAt = sql`case when "rows"."row" = 'embedding_image' then pages."embeddedAt" else pages."createdAt" end`;
const itemColumns = sql`pages."page" as "page", "rows"."row" as "row", ${createdAt} as "createdAt"`;
/** The marks of embedding count as long as there is the index that they are about. */
const isEmbedded = sql`pages."embeddedAt" is not null and exists (
  select 1 from "indices" where "indices"."datasetId" = pages."datasetId" and "indices"."role" = 'served')`;
const isThere = sql`pages."failure" is null and ("rows"."row" <> 'embedding_image' or (${isEmbedded}))`;

/** The names of the rows sort as their letters in the item ids do. */
const orderings: Readonly<Record<ItemSort, RawBuilder<unknown>>> = {
  createdAt,
  col: sql`pages."page"`,
  row: sql`"rows"."row"`,
};

function rowsTable(row: ItemRow | undefined): RawBuilder<unknown> {
  const names = (row === undefined ? itemRows : [row]).map((name) => sql`(${sql.lit(name)})`);
  return sql`"rows"("row") as (values ${sql.join(names)})`;
}

/** A table of ranges instead of a condition for each: conditions may nest a thousand deep, and no deeper. */
function rangesTable(ranges: readonly PageRange[]): RawBuilder<unknown> {
  const rows = ranges.map(({ from, to }) => sql`(${literal(from)}, ${literal(to)})`);
  return sql`ranges("low", "high") as (values ${sql.join(rows)})`;
}

/** Written into the statement, because there a number has a type; a parameter in a list of values has none. */
function literal(page: number): RawBuilder<number> {
  if (!Number.isSafeInteger(page)) throw new TypeError(`not a page number: ${page}`);
  return sql.lit(page);
}
