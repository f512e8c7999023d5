import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Engine, RowTrigger } from "../engine.ts";

/** What of a row is counted; all but `table` and `kind` is SQL, for a row with the prefix `new.`, `old.` or none. */
export interface Tallied {
  readonly table: string;
  readonly kind: string;
  readonly owner: (of: string) => string;
  readonly name: (of: string) => string;
  /** An id: its last letter, which is random, chooses the line. */
  readonly id: (of: string) => string;
  readonly amount: (of: string) => string;
  /** The columns that change and on which the count depends. */
  readonly changes: readonly string[];
}

export const column =
  (name: string) =>
  (of: string): string =>
    `${of}"${name}"`;

const tallied: readonly Tallied[] = [
  {
    table: "datasets",
    kind: "datasets",
    owner: column("workspaceId"),
    name: column("type"),
    id: column("id"),
    amount: () => "1",
    changes: ["type"],
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
  {
    table: "indices",
    kind: "served",
    owner: column("workspaceId"),
    name: column("pack"),
    id: column("datasetId"),
    amount: (of) => `case when ${of}"role" = 'served' then 1 else 0 end`,
    changes: ["role", "pack"],
  },
  {
    table: "indices",
    kind: "pages",
    owner: column("workspaceId"),
    name: column("pack"),
    id: column("datasetId"),
    amount: (of) => `case when ${of}"role" = 'served'
        then coalesce((select "itemCount" from "datasets" where "datasets"."id" = ${of}"datasetId"), 0) else 0 end`,
    changes: ["role", "pack"],
  },
];

/**
 * Counts by owner and name, kept by the database in the transaction that changes a row. Each count is the sum of up to 32
 * lines, so that transactions seldom wait for each other at one.
 */
export async function tallies(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable("tallies")
    .addColumn("owner", "text", (definition) => definition.notNull())
    .addColumn("kind", "text", (definition) => definition.notNull())
    .addColumn("name", "text", (definition) => definition.notNull())
    .addColumn("shard", "text", (definition) => definition.notNull())
    .addColumn("total", "bigint", (definition) => definition.notNull())
    .addPrimaryKeyConstraint("talliesKey", ["owner", "kind", "name", "shard"])
    .execute();
  for (const each of tallied) await tally(db, engine, each);
  // The pages of an index are those of its dataset.
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

/** Counts what is there, and from now on. */
export async function tally(db: Kysely<unknown>, engine: Engine, each: Tallied): Promise<void> {
  await sql`insert into "tallies" ("owner", "kind", "name", "shard", "total")
    select ${keys(each, "")}, sum(${sql.raw(each.amount(""))}) from ${sql.table(each.table)} group by 1, 2, 3, 4`.execute(
    db,
  );
  for (const trigger of triggersOf(each)) await engine.createTrigger(db, trigger);
}

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

function add(each: Tallied, row: "new" | "old", sign: "+" | "-"): RawBuilder<unknown> {
  const amount = sql.raw(`(${each.amount(`${row}.`)})`);
  return sql`insert into "tallies" ("owner", "kind", "name", "shard", "total")
    select ${keys(each, `${row}.`)}, ${sql.raw(sign)} ${amount} where ${amount} <> 0 ${added}`;
}

function keys({ kind, owner, name, id }: Tallied, of: string): RawBuilder<unknown> {
  return sql`${sql.raw(owner(of))}, ${sql.lit(kind)}, ${sql.raw(name(of))}, ${shard(id(of))}`;
}

const shard = (id: string): RawBuilder<unknown> => sql.raw(`substr(${id}, length(${id}), 1)`);

const added = sql`on conflict ("owner", "kind", "name", "shard") do update set
  "total" = "tallies"."total" + excluded."total"`;
