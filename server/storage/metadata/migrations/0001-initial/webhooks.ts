import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Engine } from "../../engine.ts";
import { key, required } from "./columns.ts";

/**
 * Creates the endpoints and the outbox of messages to them. A job may end in many ways, so the database itself enters
 * the messages about it, in the transaction that ends the job.
 */
export async function webhooks(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await createEndpoints(db);
  await createOutbox(db);
  await engine.createTrigger(db, {
    name: "tellOfJob",
    table: "jobs",
    after: "update",
    of: ["finishedAt"],
    run: [tellEndpoints(payload(engine)), tellCallback(payload(engine))],
  });
}

async function createEndpoints(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("webhooks")
    .addColumn("id", "text", key)
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("url", "text", required)
    .addColumn("events", "text", required)
    .addColumn("description", "text", required)
    .addColumn("secret", "text", required)
    .addColumn("previousSecret", "text")
    .addColumn("previousUntil", "bigint")
    .addColumn("createdAt", "bigint", required)
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
    .addColumn("secret", "text", required)
    .addColumn("previousSecret", "text")
    .addColumn("previousUntil", "bigint")
    .execute();
}

async function createOutbox(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("webhookDeliveries")
    .addColumn("target", "text", required)
    .addColumn("messageId", "text", required)
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("lane", "text", required)
    .addColumn("url", "text")
    .addColumn("type", "text", required)
    .addColumn("payload", "text", required)
    .addColumn("status", "text", required)
    .addColumn("tries", "bigint", required)
    .addColumn("createdAt", "bigint", required)
    .addColumn("dueAt", "bigint")
    .addColumn("claimToken", "text")
    .addColumn("lastTryAt", "bigint")
    .addColumn("lastStatus", "bigint")
    .addColumn("lastError", "text")
    .addColumn("finishedAt", "bigint")
    .addPrimaryKeyConstraint("webhookDeliveriesKey", ["target", "messageId"])
    .execute();
  await db.schema
    .createIndex("webhookDeliveriesByLane")
    .on("webhookDeliveries")
    .columns(["lane", "dueAt"])
    .where(sql<boolean>`"dueAt" is not null`)
    .execute();
  await db.schema
    .createIndex("webhookDeliveriesDue")
    .on("webhookDeliveries")
    .column("dueAt")
    .where(sql<boolean>`"dueAt" is not null`)
    .execute();
  await db.schema
    .createIndex("webhookDeliveriesFinished")
    .on("webhookDeliveries")
    .column("finishedAt")
    .where(sql<boolean>`"finishedAt" is not null`)
    .execute();
  await db.schema
    .createIndex("webhookDeliveriesInOrder")
    .on("webhookDeliveries")
    .columns(["workspaceId", "target", "createdAt", "messageId"])
    .execute();
}

const columns = sql.raw(
  ["target", "messageId", "workspaceId", "lane", "url", "type", "payload", "status", "tries", "createdAt", "dueAt"]
    .map((name) => `"${name}"`)
    .join(", "),
);

const type = sql`case when new."status" = 'SUCCESS' then 'job.finished' else 'job.failed' end`;

/** The message about a new version has the id of the first one, which callers know. Ids and words need no escaping. */
const payload = ({ isoTime }: Engine): RawBuilder<unknown> => sql`'{"type":"' || ${type}
  || '","timestamp":"' || ${isoTime(sql`new."finishedAt"`)}
  || '","data":{"workspaceId":"' || new."workspaceId" || '","datasetId":"' || ${sql`coalesce(new."versionOf", new."datasetId")`}
  || '","jobId":"' || new."id" || '","jobType":"' || new."type"
  || '","canceled":' || case when new."canceledAt" is null then 'false' else 'true' end || '}}'`;

/** Each run of a job ends once, and all webhooks get the message under the same id. */
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
