import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Engine, RowTrigger } from "../../engine.ts";
import { required, key } from "./columns.ts";

/**
 * Creates the tables of usage: stored bytes now and by day, requests by month, and requests with an idempotency key.
 */
export async function books(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await createHoldings(db, engine);
  await createUsage(db);
  await createAttempts(db, engine);
  await createGarbage(db);
}

/**
 * The stored bytes of a workspace are the sum of up to 32 rows; the last letter of an id selects the row. With a single
 * row, all transactions of the workspace would have to wait for each other (docs/decisions/0010-usage.md).
 */
async function createHoldings(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable("holdings")
    .addColumn("workspaceId", "text", required)
    .addColumn("shard", "text", required)
    .addColumn("originals", "bigint", required)
    .addColumn("converted", "bigint", required)
    .addColumn("parts", "bigint", required)
    .addColumn("documents", "bigint", required)
    .addColumn("pages", "bigint", required)
    .addPrimaryKeyConstraint("holdingsKey", ["workspaceId", "shard"])
    .execute();
  for (const trigger of triggers) await engine.createTrigger(db, trigger);
}

const names = ["originals", "converted", "parts", "documents", "pages"] as const;
const columns = sql.raw(names.map((name) => `"${name}"`).join(", "));
const sums = names.map((name) => `"${name}" = "holdings"."${name}" + excluded."${name}"`).join(", ");

/** Amounts that a change of a row adds to the columns, as SQL; other columns do not change. */
type Amounts = Readonly<Partial<Record<(typeof names)[number], string>>>;

interface Change {
  /** The row that has the workspace, and its column with the id: the last letter selects the row of `holdings`. */
  readonly row: "new" | "old";
  readonly id: "id" | "key";
  readonly amounts: Amounts;
}

/** Adds the amounts to a row of `holdings`, and writes nothing if all of them are 0. */
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

async function createUsage(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("requestCounts")
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("month", "text", required)
    .addColumn("requests", "bigint", required)
    .addPrimaryKeyConstraint("requestCountsKey", ["workspaceId", "month"])
    .execute();
  // Rows are by day; the index finds the oldest days, which are removed.
  await db.schema
    .createTable("dailyUsage")
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("day", "text", required)
    .addColumn("storedBytes", "bigint", required)
    .addColumn("documents", "bigint", required)
    .addColumn("pages", "bigint", required)
    .addPrimaryKeyConstraint("dailyUsageKey", ["workspaceId", "day"])
    .execute();
  await db.schema.createIndex("dailyUsageByDay").on("dailyUsage").column("day").execute();
}

async function createAttempts(db: Kysely<unknown>, { types }: Engine): Promise<void> {
  await db.schema
    .createTable("attempts")
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("method", "text", required)
    .addColumn("keySha256", "text", required)
    .addColumn("holder", "text", required)
    .addColumn("heldUntil", "bigint", required)
    .addColumn("expiresAt", "bigint", required)
    .addColumn("datasetId", "text", required)
    .addColumn("jobId", "text", required)
    .addColumn("uploadKey", "text", required)
    .addColumn("bodySha256", "text")
    .addColumn("bodyFileBytes", "bigint")
    .addColumn("answer", types.bytes)
    .addPrimaryKeyConstraint("attemptsKey", ["workspaceId", "method", "keySha256"])
    .execute();
  await db.schema.createIndex("attemptsByExpiry").on("attempts").column("expiresAt").execute();
}

/**
 * Creates the list of bytes and vectors to be removed. Those being written are on it too, until a transaction lists
 * them.
 */
async function createGarbage(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("garbage")
    .addColumn("kind", "text", required)
    .addColumn("key", "text", required)
    .addColumn("notBefore", "bigint", required)
    .addColumn("claimToken", "text")
    .addColumn("workspaceId", "text")
    .addColumn("pack", "text")
    .addPrimaryKeyConstraint("garbageKey", ["kind", "key"])
    .execute();
  await db.schema.createIndex("garbageByTime").on("garbage").columns(["notBefore", "kind", "key"]).execute();
  await db.schema
    .createIndex("garbageByWorkspace")
    .on("garbage")
    .column("workspaceId")
    .where(sql<boolean>`"workspaceId" is not null`)
    .execute();
}

/**
 * Creates the tables that coordinate processes sharing a store: leader leases, rates, and the versions of drs that may
 * run.
 */
export async function processes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("duties")
    .addColumn("name", "text", key)
    .addColumn("holder", "text")
    .addColumn("heldUntil", "bigint", required)
    .addColumn("requests", "bigint", required)
    .execute();
  await db.schema
    .createTable("rateBuckets")
    .addColumn("id", "text", key)
    .addColumn("millis", "bigint", required)
    .addColumn("filledAt", "bigint", required)
    .execute();
  await db.schema
    .createTable("readers")
    .addColumn("id", "bigint", key)
    .addColumn("oldest", "text", required)
    .addColumn("newest", "text", required)
    .execute();
}
