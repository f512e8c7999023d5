import { type RawBuilder, sql } from "kysely";
import type { ItemRow } from "../../../domain/items/item.ts";
import type { SortKey } from "../../../domain/ports/list.ts";
import type { ItemSort } from "../../../domain/ports/pages.ts";

const itemCreatedAt = sql`case when "rows"."row" = 'embedding_image' then pages."embeddedAt" else pages."createdAt" end`;
export const itemColumns = sql`pages."page" as "page", "rows"."row" as "row", ${itemCreatedAt} as "createdAt"`;
/** The marks of embedding count as long as there is the index that they are about. */
export const isServed = (datasetId: RawBuilder<unknown>): RawBuilder<unknown> => sql`exists (
  select 1 from "indices" where "indices"."datasetId" = ${datasetId} and "indices"."role" = 'served')`;
const isEmbedded = sql`pages."embeddedAt" is not null and ${isServed(sql`pages."datasetId"`)}`;
export const isThere = sql`pages."failure" is null and ("rows"."row" <> 'embedding_image' or (${isEmbedded}))`;

export function rowsTable(rows: readonly ItemRow[]): RawBuilder<unknown> {
  return sql`"rows"("row") as (values ${sql.join(rows.map((name) => sql`(${sql.lit(name)})`))})`;
}

/** The names of the rows sort as their letters in the item ids do. */
const expressions: Readonly<Record<ItemSort, RawBuilder<unknown>>> = {
  createdAt: itemCreatedAt,
  col: sql`pages."page"`,
  row: sql`"rows"."row"`,
};

/** The order that the keys ask for; page, then row break ties. `terms`: what a statement calls the properties. */
export function orderBy(keys: readonly SortKey<ItemSort>[], terms = expressions): RawBuilder<unknown> {
  const known = new Set<ItemSort>();
  const ties = (["col", "row"] as const).map((property) => ({ property, descending: false }));
  // One that comes again says nothing more.
  const distinct = [...keys, ...ties].filter(({ property }) => !known.has(property) && known.add(property));
  return sql.join(
    distinct.map(({ property, descending }) => sql`${terms[property]} ${descending ? sql`desc` : sql`asc`}`),
  );
}
