import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Engine, RowTrigger } from "../engine.ts";

/**
 * What each workspace stores, counted by the database in every transaction that changes a row; and how
 * often it calls. Why so: docs/decisions/0010-usage.md.
 */
export async function usage(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema.alterTable("datasets").addColumn("convertedSize", "bigint").execute();
  await db.schema
    .createTable("workspaceUsage")
    .addColumn("workspaceId", "text", (column) => column.primaryKey().references("workspaces.id").onDelete("cascade"))
    .addColumn("originals", "bigint", (column) => column.notNull().defaultTo(0))
    .addColumn("converted", "bigint", (column) => column.notNull().defaultTo(0))
    .addColumn("parts", "bigint", (column) => column.notNull().defaultTo(0))
    .addColumn("documents", "bigint", (column) => column.notNull().defaultTo(0))
    .addColumn("pages", "bigint", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable("requestCounts")
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("month", "text", (column) => column.notNull())
    .addColumn("requests", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("requestCountsKey", ["workspaceId", "month"])
    .execute();
  await sql`
    insert into "workspaceUsage" ("workspaceId", "originals", "documents", "pages", "parts")
    select w."id", coalesce(sum(d."fileSize"), 0), count(d."id"), coalesce(sum(d."itemCount"), 0),
      (select coalesce(sum(p."size"), 0) from "uploadParts" p join "uploads" u on u."key" = p."uploadKey"
        where u."workspaceId" = w."id")
    from "workspaces" w left join "datasets" d on d."workspaceId" = w."id" group by w."id"`.execute(db);
  for (const trigger of triggers) await engine.createTrigger(db, trigger);
}

const countDataset = (row: "new" | "old", sign: "+" | "-"): RawBuilder<unknown> => {
  const [by, of] = [sql.raw(sign), sql.raw(row)];
  return sql`
    update "workspaceUsage" set
      "originals" = "originals" ${by} ${of}."fileSize",
      "converted" = "converted" ${by} coalesce(${of}."convertedSize", 0),
      "documents" = "documents" ${by} 1,
      "pages" = "pages" ${by} ${of}."itemCount"
    where "workspaceId" = ${of}."workspaceId"`;
};

/** A part is gone before its session is. */
const countPart = (row: "new" | "old", sign: "+" | "-"): RawBuilder<unknown> => {
  const [by, of] = [sql.raw(sign), sql.raw(row)];
  return sql`
    update "workspaceUsage" set "parts" = "parts" ${by} ${of}."size"
    where "workspaceId" = (select "workspaceId" from "uploads" where "key" = ${of}."uploadKey")`;
};

const triggers: readonly RowTrigger[] = [
  {
    name: "countWorkspace",
    table: "workspaces",
    after: "insert",
    run: [sql`insert into "workspaceUsage" ("workspaceId") values (new."id")`],
  },
  { name: "countNewDataset", table: "datasets", after: "insert", run: [countDataset("new", "+")] },
  {
    name: "countChangedDataset",
    table: "datasets",
    after: "update",
    run: [countDataset("old", "-"), countDataset("new", "+")],
  },
  { name: "countRemovedDataset", table: "datasets", after: "delete", run: [countDataset("old", "-")] },
  { name: "countNewPart", table: "uploadParts", after: "insert", run: [countPart("new", "+")] },
  {
    name: "countChangedPart",
    table: "uploadParts",
    after: "update",
    run: [countPart("old", "-"), countPart("new", "+")],
  },
  { name: "countRemovedPart", table: "uploadParts", after: "delete", run: [countPart("old", "-")] },
];
