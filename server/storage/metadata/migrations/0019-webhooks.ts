import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Engine, RowTrigger } from "../engine.ts";

/**
 * Endpoints, and the outbox of what they are told. A job may end in many ways, and in a version of drs that knows nothing of
 * webhooks: the database enters the messages, in the transaction that ends it.
 */
export async function webhooks(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable("webhooks")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("url", "text", (column) => column.notNull())
    .addColumn("events", "text", (column) => column.notNull())
    .addColumn("description", "text", (column) => column.notNull())
    .addColumn("secret", "text", (column) => column.notNull())
    .addColumn("previousSecret", "text")
    .addColumn("previousUntil", "bigint")
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addColumn("updatedAt", "bigint")
    .addColumn("disabledAt", "bigint")
    .addColumn("disabledReason", "text")
    .addColumn("failingSince", "bigint")
    .execute();
  await db.schema
    .createIndex("webhooksByWorkspace")
    .on("webhooks")
    .columns(["workspaceId", "createdAt", "id"])
    .execute();
  await db.schema
    .createTable("callbackSecrets")
    .addColumn("workspaceId", "text", (column) =>
      column.primaryKey().notNull().references("workspaces.id").onDelete("cascade"),
    )
    .addColumn("secret", "text", (column) => column.notNull())
    .addColumn("previousSecret", "text")
    .addColumn("previousUntil", "bigint")
    .execute();
  await createOutbox(db);
  for (const column of ["callbackUrl", "callbackOrigin"] as const) {
    await db.schema.alterTable("jobs").addColumn(column, "text").execute();
  }
  await db.schema.alterTable("uploads").addColumn("callbackUrl", "text").execute();
  await engine.createTrigger(db, tellOfJob(engine, sql`new."datasetId"`));
}

/** Enters the messages about a job that ends, with the id by which callers know its dataset. */
export const tellOfJob = (engine: Engine, datasetId: RawBuilder<unknown>): RowTrigger => ({
  name: "tellOfJob",
  table: "jobs",
  after: "update",
  of: ["finishedAt"],
  run: [tellEndpoints(payload(engine, datasetId)), tellCallback(payload(engine, datasetId))],
});

async function createOutbox(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("webhookDeliveries")
    .addColumn("target", "text", (column) => column.notNull())
    .addColumn("messageId", "text", (column) => column.notNull())
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("lane", "text", (column) => column.notNull())
    .addColumn("url", "text")
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("payload", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("tries", "bigint", (column) => column.notNull())
    .addColumn("createdAt", "bigint", (column) => column.notNull())
    .addColumn("dueAt", "bigint")
    .addColumn("claimToken", "text")
    .addColumn("lastTryAt", "bigint")
    .addColumn("lastStatus", "bigint")
    .addColumn("lastError", "text")
    .addColumn("finishedAt", "bigint")
    .addPrimaryKeyConstraint("webhookDeliveriesKey", ["target", "messageId"])
    .execute();
  const index = (name: string, columns: string, condition: string) =>
    sql`create index ${sql.id(name)} on "webhookDeliveries" (${sql.raw(columns)}) ${sql.raw(condition)}`.execute(db);
  await index("webhookDeliveriesDue", `"dueAt"`, `where "dueAt" is not null`);
  await index("webhookDeliveriesByLane", `"lane", "dueAt"`, `where "dueAt" is not null`);
  await index("webhookDeliveriesFinished", `"finishedAt"`, `where "finishedAt" is not null`);
  await index("webhookDeliveriesInOrder", `"workspaceId", "target", "createdAt", "messageId"`, "");
}

const columns = sql.raw(
  ["target", "messageId", "workspaceId", "lane", "url", "type", "payload", "status", "tries", "createdAt", "dueAt"]
    .map((name) => `"${name}"`)
    .join(", "),
);

const type = sql`case when new."status" = 'SUCCESS' then 'job.finished' else 'job.failed' end`;

/** Ids and words need no escaping. */
const payload = ({ isoTime }: Engine, datasetId: RawBuilder<unknown>): RawBuilder<unknown> => sql`'{"type":"' || ${type}
  || '","timestamp":"' || ${isoTime(sql`new."finishedAt"`)}
  || '","data":{"workspaceId":"' || new."workspaceId" || '","datasetId":"' || ${datasetId}
  || '","jobId":"' || new."id" || '","jobType":"' || new."type"
  || '","canceled":' || case when new."canceledAt" is null then 'false' else 'true' end || '}}'`;

/** A job ends once for each run, and is told of under the same id to all. */
const messageId = sql`new."id" || '-' || new."reruns"`;
const hasEnded = sql`new."finishedAt" is not null and old."finishedAt" is null`;
const state = sql`'pending', 0, new."finishedAt", new."finishedAt"`;
const once = sql`on conflict ("target", "messageId") do nothing`;

const tellEndpoints = (
  message: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`insert into "webhookDeliveries" (${columns})
  select "webhooks"."id", ${messageId}, new."workspaceId", new."workspaceId" || '/' || "webhooks"."id", null,
    ${type}, ${message}, ${state}
  from "webhooks"
  where ${hasEnded} and "webhooks"."workspaceId" = new."workspaceId" and "webhooks"."disabledAt" is null
    and "webhooks"."events" like '% ' || ${type} || ' %' ${once}`;

const tellCallback = (
  message: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`insert into "webhookDeliveries" (${columns})
  select 'callbacks', ${messageId}, new."workspaceId", new."workspaceId" || '/' || new."callbackOrigin",
    new."callbackUrl", ${type}, ${message}, ${state}
  where ${hasEnded} and new."callbackUrl" is not null ${once}`;
