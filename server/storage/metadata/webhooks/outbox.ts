import { type Kysely, sql } from "kysely";
import type { DatasetId, WorkspaceId } from "../../../domain/ids.ts";
import type { WebhookEvent } from "../../../domain/webhooks/webhook.ts";
import type { Schema } from "../schema.ts";

/**
 * This file enters messages about datasets; a trigger enters those about jobs (migrations/0001-initial/webhooks.ts).
 * Ids and words need no escaping in a payload.
 */

const isSubscribed = (event: WebhookEvent) =>
  sql<boolean>`"webhooks"."disabledAt" is null and "webhooks"."events" like ${`% ${event} %`}`;

const columns = [
  "target",
  "messageId",
  "workspaceId",
  "lane",
  "type",
  "payload",
  "status",
  "tries",
  "createdAt",
  "dueAt",
] as const;

const lane = sql<string>`"webhooks"."workspaceId" || '/' || "webhooks"."id"`;

/** Inserts the messages about a deleted dataset. Call it in the transaction that removes the dataset. */
export async function enqueueDeletedEvent(
  trx: Kysely<Schema>,
  { id, workspaceId }: { readonly id: DatasetId; readonly workspaceId: WorkspaceId },
  now: number,
): Promise<void> {
  const timestamp = new Date(now).toISOString();
  const payload = JSON.stringify({ type: "dataset.deleted", timestamp, data: { workspaceId, datasetId: id } });
  await trx
    .insertInto("webhookDeliveries")
    .columns(columns)
    .expression((eb) =>
      eb
        .selectFrom("webhooks")
        .select((of) => [
          "webhooks.id",
          // The time is part of the id, because a dataset can be imported and deleted again.
          text(`${id}-deleted-${now}`),
          "webhooks.workspaceId",
          lane.as("lane"),
          text("dataset.deleted"),
          text(payload),
          text("pending"),
          of.lit(0).as("tries"),
          of.cast<number>(of.val(now), "bigint").as("createdAt"),
          of.cast<number>(of.val(now), "bigint").as("dueAt"),
        ])
        .where("webhooks.workspaceId", "=", workspaceId)
        .where(isSubscribed("dataset.deleted")),
    )
    .onConflict((conflict) => conflict.columns(["target", "messageId"]).doNothing())
    .execute();
}

/** The id under which callers know a dataset. */
const known = sql<string>`coalesce("datasets"."versionOf", "datasets"."id")`;

const text = (value: string) => sql<string>`cast(${value} as text)`.as("text");

/**
 * Implements `WebhookStore.enterExpiring`. Reads only the expiring datasets of workspaces with an endpoint for this
 * event.
 */
export async function enterExpiring(
  db: Kysely<Schema>,
  { now, until }: { readonly now: number; readonly until: number },
  limit: number,
): Promise<number> {
  const messageId = sql<string>`${known} || '-expiring-' || "datasets"."expiresAt"`;
  const timestamp = new Date(now).toISOString();
  const payload = sql<string>`${`{"type":"dataset.expiring","timestamp":"${timestamp}","data":{"workspaceId":"`}
    || "datasets"."workspaceId" || '","datasetId":"' || ${known} || '","expiresAt":' || "datasets"."expiresAt" || '}}'`;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("webhookDeliveries")
    .columns(columns)
    .expression((eb) =>
      eb
        .selectFrom("webhooks")
        .innerJoin("datasets", "datasets.workspaceId", "webhooks.workspaceId")
        .select((of) => [
          "webhooks.id",
          messageId.as("messageId"),
          "webhooks.workspaceId",
          lane.as("lane"),
          text("dataset.expiring"),
          payload.as("payload"),
          text("pending"),
          of.lit(0).as("tries"),
          of.cast<number>(of.val(now), "bigint").as("createdAt"),
          of.cast<number>(of.val(now), "bigint").as("dueAt"),
        ])
        .where(isSubscribed("dataset.expiring"))
        .where("datasets.expiresAt", ">", now)
        .where("datasets.expiresAt", "<=", until)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("webhookDeliveries as told")
                .select("told.messageId")
                .whereRef("told.target", "=", "webhooks.id")
                .where("told.messageId", "=", messageId),
            ),
          ),
        )
        .orderBy("datasets.expiresAt")
        .limit(limit),
    )
    .onConflict((conflict) => conflict.columns(["target", "messageId"]).doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows ?? 0);
}
