import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Engine, RowTrigger } from "../../engine.ts";

/**
 * Keeps `datasets.isSearchable`, whether searches find a page of a dataset, so that lists of those and of the others are counted
 * and in order.
 */
export async function searchable(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const trigger of triggers) await engine.createTrigger(db, trigger);
}

const hasEmbedded = (row: string): RawBuilder<unknown> => sql.raw(`${row}."embedded" > 0`);
const serves = (row: string): RawBuilder<unknown> => sql.raw(`${row}."role" = 'served'`);
const changes = (what: (row: string) => RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(${what("new")}) <> (${what("old")})`;

const triggers: readonly RowTrigger[] = [
  { name: "seeNewPages", table: "pageCounts", after: "insert", when: hasEmbedded("new"), run: look("new") },
  {
    name: "seeChangedPages",
    table: "pageCounts",
    after: "update",
    of: ["embedded"],
    when: changes(hasEmbedded),
    run: look("new"),
  },
  { name: "seeNewIndex", table: "indices", after: "insert", when: serves("new"), run: look("new") },
  { name: "seeChangedIndex", table: "indices", after: "update", of: ["role"], when: changes(serves), run: look("new") },
  { name: "seeRemovedIndex", table: "indices", after: "delete", when: serves("old"), run: look("old") },
];

/**
 * The first statement changes nothing: it waits for transactions that change what the second reads. That one looks for
 * itself, since a statement sees what had been committed when it began.
 */
function look(row: "new" | "old"): readonly RawBuilder<unknown>[] {
  const datasetId = sql.raw(`${row}."datasetId"`);
  const is = sql`(case when exists (select 1 from "indices" where "datasetId" = ${datasetId} and "role" = 'served')
      and exists (select 1 from "pageCounts" where "datasetId" = ${datasetId} and "embedded" > 0) then 1 else 0 end)`;
  return [
    sql`update "datasets" set "isSearchable" = "isSearchable" where "id" = ${datasetId}`,
    sql`update "datasets" set "isSearchable" = ${is} where "id" = ${datasetId} and "isSearchable" <> ${is}`,
  ];
}
