import { type ExpressionBuilder, type Kysely, sql } from "kysely";
import { actOfService } from "../../../domain/audit/event.ts";
import type { OrganisationId, WebhookId, WorkspaceId } from "../../../domain/ids.ts";
import type { ClaimedDelivery, Destination, Lane, Try, WebhookStore } from "../../../domain/ports/webhooks.ts";
import { callbacks } from "../../../domain/webhooks/webhook.ts";
import type { Engine } from "../engine.ts";
import { leaseEnd, newToken } from "../queue/claims.ts";
import type { Schema } from "../schema.ts";
import { enterEvents } from "../tenants/audit.ts";
import { inTransaction } from "../transaction.ts";
import { deliveryColumns, type DeliveryRow } from "./deliveries.ts";

/** Maximum number of lanes per query. */
const maxLanes = 1_000;

type ClaimMethods = Pick<WebhookStore, "dueLanes" | "claim" | "settle" | "release">;

/**
 * Claims deliveries for sending. A claim moves the due time of its deliveries to the end of the claim, so that they
 * become due again if the process dies.
 */
export function claimMethods(db: Kysely<Schema>, engine: Engine): ClaimMethods {
  return {
    dueLanes: () => dueLanes(db, engine),
    claim: (lane, limit, leaseMs) => inTransaction(db, (trx) => claim(trx, engine, { lane, limit, leaseMs })),
    settle: (claimed, outcome, now) => inTransaction(db, (trx) => settle(trx, claimed, outcome, now)),
    async release(claimed, now) {
      await db
        .updateTable("webhookDeliveries")
        .set({ dueAt: now, claimToken: null })
        .where(isClaimed(claimed))
        .execute();
    },
  };
}

/**
 * Finds the lanes with due deliveries. The query steps from lane to lane in the index, so that a long lane costs no
 * more than a short one. Organisations take turns.
 */
async function dueLanes(db: Kysely<Schema>, engine: Engine): Promise<readonly Lane[]> {
  const due = db.selectFrom("webhookDeliveries").where("dueAt", "is not", null);
  const some = await due.select("lane").where("dueAt", "<=", engine.clock()).limit(1).executeTakeFirst();
  if (some === undefined) return [];
  const { rows } = await sql<{ name: string; workspaceId: WorkspaceId; organisationId: OrganisationId }>`
    with recursive "lanes" ("lane") as (
      select * from (
        select "lane" from "webhookDeliveries" where "dueAt" is not null order by "lane" limit 1
      ) as "first"
      union all
      select (
        select "next"."lane" from "webhookDeliveries" as "next"
        where "next"."dueAt" is not null and "next"."lane" > "lanes"."lane" order by "next"."lane" limit 1
      ) from "lanes" where "lanes"."lane" is not null
    )
    select "name", "workspaceId", "organisationId" from (
      select "waiting".*, "organisationId",
        row_number() over (partition by "organisationId" order by "dueAt", "waiting"."name") as "turn"
      from (
        select "lane" as "name", (
          select "earliest"."dueAt" from "webhookDeliveries" as "earliest"
          where "earliest"."lane" = "lanes"."lane" and "earliest"."dueAt" is not null order by "earliest"."dueAt" limit 1
        ) as "dueAt", (
          select "any"."workspaceId" from "webhookDeliveries" as "any"
          where "any"."lane" = "lanes"."lane" and "any"."dueAt" is not null limit 1
        ) as "workspaceId" from "lanes" where "lane" is not null
      ) as "waiting"
      inner join "workspaces" on "workspaces"."id" = "waiting"."workspaceId"
      where "dueAt" <= ${engine.clock()}
    ) as "inTurn" order by "turn", "dueAt", "name" limit ${sql.lit(maxLanes)}`.execute(db);
  return rows;
}

async function claim(
  trx: Kysely<Schema>,
  engine: Engine,
  { lane, limit, leaseMs }: { readonly lane: Lane; readonly limit: number; readonly leaseMs: number },
): Promise<readonly ClaimedDelivery[]> {
  const now = await engine.now(trx);
  const token = newToken();
  const due = await trx
    .selectFrom("webhookDeliveries")
    .select(["target", "messageId", "url"])
    .where("lane", "=", lane.name)
    .where("dueAt", "is not", null)
    .where("dueAt", "<=", now)
    .orderBy("dueAt")
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
  const claimed: ClaimedDelivery[] = [];
  for (const { target, messageId, url } of due) {
    const delivery = await trx
      .updateTable("webhookDeliveries")
      .set({ claimToken: token, dueAt: leaseEnd(now, leaseMs) })
      .where("target", "=", target)
      .where("messageId", "=", messageId)
      .returning(deliveryColumns)
      .executeTakeFirstOrThrow();
    claimed.push({ delivery, token, destination: await destinationOf(trx, delivery, url) });
  }
  return claimed;
}

async function destinationOf(
  trx: Kysely<Schema>,
  { target, workspaceId }: DeliveryRow,
  url: string | null,
): Promise<Destination | undefined> {
  if (target === callbacks) {
    const secrets = await trx
      .selectFrom("callbackSecrets")
      .select(["secret", "previousSecret", "previousUntil"])
      .where("workspaceId", "=", workspaceId)
      .executeTakeFirst();
    return secrets === undefined || url === null ? undefined : { url, secrets, failingSince: null };
  }
  const webhook = await trx
    .selectFrom("webhooks")
    .select(["url", "secret", "previousSecret", "previousUntil", "failingSince"])
    .where("id", "=", target)
    .where("disabledAt", "is", null)
    .executeTakeFirst();
  if (webhook === undefined) return undefined;
  const { url: address, failingSince, ...secrets } = webhook;
  return { url: address, secrets, failingSince };
}

async function settle(
  trx: Kysely<Schema>,
  claimed: ClaimedDelivery,
  { status, dueAt, lastStatus, lastError, endpoint }: Try,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("webhookDeliveries")
    .set(({ eb }) => ({
      status,
      dueAt,
      lastStatus,
      lastError,
      tries: endpoint === "not sent" ? eb.ref("tries") : eb("tries", "+", 1),
      ...(endpoint !== "not sent" && { lastTryAt: now }),
      claimToken: null,
      finishedAt: status === "pending" ? null : now,
    }))
    .where(isClaimed(claimed))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return false;
  const { target, workspaceId } = claimed.delivery;
  if (target === callbacks || endpoint === "not sent") return true;
  const webhook = trx.updateTable("webhooks").where("id", "=", target);
  if (endpoint === "accepted") {
    await webhook.set({ failingSince: null }).where("failingSince", "is not", null).execute();
  } else {
    await webhook.set({ failingSince: now }).where("failingSince", "is", null).execute();
  }
  if (typeof endpoint === "object") await disable(trx, { id: target, workspaceId, ...endpoint }, now);
  return true;
}

async function disable(
  trx: Kysely<Schema>,
  { id, workspaceId, disabledReason }: { id: WebhookId; workspaceId: WorkspaceId; disabledReason: string },
  now: number,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable("webhooks")
    .set({ disabledAt: now, disabledReason })
    .where("id", "=", id)
    .where("disabledAt", "is", null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return;
  const { organisationId } = await trx
    .selectFrom("workspaces")
    .select("organisationId")
    .where("id", "=", workspaceId)
    .executeTakeFirstOrThrow();
  const act = { action: "webhook.disable", target: id, workspaceId, details: disabledReason } as const;
  await enterEvents(trx, [actOfService(organisationId, act, now)]);
}

const isClaimed =
  ({ token, delivery: { target, messageId } }: ClaimedDelivery) =>
  ({ eb, and }: ExpressionBuilder<Schema, "webhookDeliveries">) =>
    and([eb("target", "=", target), eb("messageId", "=", messageId), eb("claimToken", "=", token)]);
