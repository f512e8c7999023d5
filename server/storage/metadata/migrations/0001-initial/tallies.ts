import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Engine, RowTrigger } from "../../engine.ts";
import { required } from "./columns.ts";

/**
 * Creates counts by owner and name, which the database updates in the transaction that changes a row. Each count is the
 * sum of up to 32 rows, so that transactions seldom wait for each other (docs/decisions/0017-bounded-work.md).
 */
export async function tallies(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable("tallies")
    .addColumn("owner", "text", required)
    .addColumn("kind", "text", required)
    .addColumn("name", "text", required)
    .addColumn("shard", "text", required)
    .addColumn("total", "bigint", required)
    .addPrimaryKeyConstraint("talliesKey", ["owner", "kind", "name", "shard"])
    .execute();
  for (const trigger of tallied.flatMap(triggersOf)) await engine.createTrigger(db, trigger);
  // The page count of an index is that of its dataset.
  await engine.createTrigger(db, {
    name: "tallyItemCount",
    table: "datasets",
    after: "update",
    of: ["itemCount"],
    run: [
      sql`insert into "tallies" ("owner", "kind", "name", "shard", "total")
        select "workspaceId", 'pages', "pack", ${shard('"datasetId"')}, new."itemCount" - old."itemCount"
        from "indices" where "datasetId" = new."id" and "role" = 'served'
        ${added}`,
    ],
  });
}

/** Defines how much a row adds to a count. The functions return SQL for a row with the prefix `new.` or `old.`. */
interface Tallied {
  readonly table: string;
  readonly kind: string;
  readonly owner: (of: string) => string;
  readonly name: (of: string) => string;
  /** An id; its last letter, which is random, selects the row of the count. */
  readonly id: (of: string) => string;
  readonly amount: (of: string) => string;
  /** The columns that can change and on which the count depends. */
  readonly changes: readonly string[];
}

const column =
  (name: string) =>
  (of: string): string =>
    `${of}"${name}"`;

const datasets = { table: "datasets", owner: column("workspaceId"), id: column("id") } as const;
const indices = {
  table: "indices",
  owner: column("workspaceId"),
  name: column("pack"),
  id: column("datasetId"),
  changes: ["role", "pack"],
} as const;

const tallied: readonly Tallied[] = [
  { ...datasets, kind: "datasets", name: column("type"), amount: () => "1", changes: ["type"] },
  {
    ...datasets,
    kind: "searchable",
    name: column("type"),
    amount: column("isSearchable"),
    changes: ["isSearchable", "type"],
  },
  {
    table: "jobs",
    kind: "jobs",
    owner: column("workspaceId"),
    name: column("status"),
    id: column("id"),
    amount: column("isListed"),
    changes: ["status", "isListed"],
  },
  {
    table: "auditEvents",
    kind: "events",
    owner: column("organisationId"),
    name: column("action"),
    id: column("id"),
    amount: () => "1",
    changes: [],
  },
  {
    table: "renditions",
    kind: "bytes",
    owner: () => "'cache'",
    name: () => "''",
    id: column("datasetId"),
    amount: column("size"),
    changes: ["size"],
  },
  { ...indices, kind: "served", amount: (of) => `case when ${of}"role" = 'served' then 1 else 0 end` },
  {
    ...indices,
    kind: "pages",
    amount: (of) => `case when ${of}"role" = 'served'
        then coalesce((select "itemCount" from "datasets" where "datasets"."id" = ${of}"datasetId"), 0) else 0 end`,
  },
];

function triggersOf(each: Tallied): RowTrigger[] {
  const { table, kind, changes } = each;
  const label = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
  const [more, less] = [add(each, "new", "+"), add(each, "old", "-")];
  const changed: RowTrigger = { name: `tallyChanged${label}`, table, after: "update", of: changes, run: [less, more] };
  return [
    { name: `tallyNew${label}`, table, after: "insert", run: [more] },
    { name: `tallyRemoved${label}`, table, after: "delete", run: [less] },
    ...(changes.length > 0 ? [changed] : []),
  ];
}

function add({ kind, owner, name, id, amount }: Tallied, row: "new" | "old", sign: "+" | "-"): RawBuilder<unknown> {
  const of = `${row}.`;
  const value = sql.raw(`(${amount(of)})`);
  return sql`insert into "tallies" ("owner", "kind", "name", "shard", "total")
    select ${sql.raw(owner(of))}, ${sql.lit(kind)}, ${sql.raw(name(of))}, ${shard(id(of))}, ${sql.raw(sign)} ${value} where ${value} <> 0 ${added}`;
}

const shard = (id: string): RawBuilder<unknown> => sql.raw(`substr(${id}, length(${id}), 1)`);

const added = sql`on conflict ("owner", "kind", "name", "shard") do update set
  "total" = "tallies"."total" + excluded."total"`;

/**
 * Maintains `datasets.isSearchable`, which says whether searches find a page of a dataset, so that lists of searchable
 * or other datasets can be counted and ordered.
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
 * Returns statements that update `isSearchable`. The first one changes nothing: it waits for transactions that change
 * what the second one reads. The second one reads the rows itself, because a statement sees what was committed when it
 * began.
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
