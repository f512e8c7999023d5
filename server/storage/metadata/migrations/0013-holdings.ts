import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Engine, RowTrigger } from "../engine.ts";

/**
 * What a workspace stores is the sum of up to 32 lines, chosen by the last letter of an id, in place of one row that every
 * transaction of the workspace would write and others wait for.
 */
export async function holdings(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable("holdings")
    .addColumn("workspaceId", "text", (column) => column.notNull())
    .addColumn("shard", "text", (column) => column.notNull())
    .addColumn("originals", "bigint", (column) => column.notNull())
    .addColumn("converted", "bigint", (column) => column.notNull())
    .addColumn("parts", "bigint", (column) => column.notNull())
    .addColumn("documents", "bigint", (column) => column.notNull())
    .addColumn("pages", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("holdingsKey", ["workspaceId", "shard"])
    .execute();
  for (const [name, table] of replaced) await engine.dropTrigger(db, name, table);
  await sql`insert into "holdings" ("workspaceId", "shard", ${columns})
    select "workspaceId", '', ${columns} from "workspaceUsage"`.execute(db);
  await db.schema.dropTable("workspaceUsage").execute();
  for (const trigger of triggers) await engine.createTrigger(db, trigger);
}

/** The triggers that kept the one row, each with its table. */
const replaced = [
  ["countWorkspace", "workspaces"],
  ["countNewDataset", "datasets"],
  ["countChangedDataset", "datasets"],
  ["countRemovedDataset", "datasets"],
  ["countReceived", "uploads"],
  ["countRemovedUpload", "uploads"],
] as const;

const names = ["originals", "converted", "parts", "documents", "pages"] as const;
const columns = sql.raw(names.map((name) => `"${name}"`).join(", "));
const sums = names.map((name) => `"${name}" = "holdings"."${name}" + excluded."${name}"`).join(", ");

/** What a change of a row adds to the columns, as SQL; what is not named adds nothing. */
type Amounts = Readonly<Partial<Record<(typeof names)[number], string>>>;

interface Change {
  /** The row that tells the workspace, and its column whose last letter tells the line. */
  readonly row: "new" | "old";
  readonly id: "id" | "key";
  readonly amounts: Amounts;
}

/** Adds nothing, and writes no line, where all amounts are 0. */
function add({ row, id, amounts }: Change): RawBuilder<unknown> {
  const values = names.map((name) => amounts[name] ?? "0");
  const some = Object.values(amounts).map((amount) => `(${amount}) <> 0`);
  return sql`insert into "holdings" ("workspaceId", "shard", ${columns})
    select ${sql.raw(`${row}."workspaceId", substr(${row}."${id}", length(${row}."${id}"), 1), ${values.join(", ")}`)}
    where ${sql.raw(some.join(" or "))}
    on conflict ("workspaceId", "shard") do update set ${sql.raw(sums)}`;
}

const held = (row: "new" | "old", sign: "+" | "-"): Amounts => ({
  originals: `${sign} ${row}."fileSize"`,
  converted: `${sign} coalesce(${row}."convertedSize", 0)`,
  documents: `${sign} 1`,
  pages: `${sign} ${row}."itemCount"`,
});

const changed: Amounts = {
  originals: `new."fileSize" - old."fileSize"`,
  converted: `coalesce(new."convertedSize", 0) - coalesce(old."convertedSize", 0)`,
  pages: `new."itemCount" - old."itemCount"`,
};

const received: Amounts = { parts: `new."receivedBytes" - old."receivedBytes"` };
const removed: Amounts = { parts: `- old."receivedBytes"` };

const triggers: readonly RowTrigger[] = [
  {
    name: "holdDataset",
    table: "datasets",
    after: "insert",
    run: [add({ row: "new", id: "id", amounts: held("new", "+") })],
  },
  {
    name: "holdChangedDataset",
    table: "datasets",
    after: "update",
    of: ["fileSize", "convertedSize", "itemCount"],
    run: [add({ row: "new", id: "id", amounts: changed })],
  },
  {
    name: "holdNoDataset",
    table: "datasets",
    after: "delete",
    run: [add({ row: "old", id: "id", amounts: held("old", "-") })],
  },
  {
    name: "holdParts",
    table: "uploads",
    after: "update",
    of: ["receivedBytes"],
    run: [add({ row: "new", id: "key", amounts: received })],
  },
  {
    name: "holdNoParts",
    table: "uploads",
    after: "delete",
    run: [add({ row: "old", id: "key", amounts: removed })],
  },
];
