import type { Kysely, Selectable, ExpressionBuilder } from "kysely";
import type { WebhookStore } from "../../../domain/ports/webhooks.ts";
import type { Engine } from "../engine.ts";
import type { Schema } from "../schema.ts";
import { againIfUndone, inTransaction } from "../transaction.ts";
import { claimMethods } from "./claims.ts";
import { deliveryMethods } from "./deliveries.ts";
import { enterExpiring } from "./outbox.ts";
import { type Webhook, webhookEvents, callbacks, type SealedSecrets } from "../../../domain/webhooks/webhook.ts";
import type { WebhookTable } from "../tables/webhooks.ts";
import { enterEvents } from "../tenants/audit.ts";

export function webhookStore(db: Kysely<Schema>, engine: Engine): WebhookStore {
  return {
    ...endpointMethods(db),
    ...secretMethods(db),
    ...deliveryMethods(db),
    ...claimMethods(db, engine),
    enterExpiring: (times, limit) => againIfUndone(() => enterExpiring(db, times, limit)),
  };
}

type EndpointMethods = Pick<WebhookStore, "create" | "list" | "get" | "update" | "delete">;

function endpointMethods(db: Kysely<Schema>): EndpointMethods {
  return {
    create: (webhook, atMost, event) =>
      inTransaction(db, async (trx) => {
        // Because of the lock, concurrent calls count each other's endpoints.
        await trx.selectFrom("workspaces").select("id").where("id", "=", webhook.workspaceId).forUpdate().execute();
        const { count } = await trx
          .selectFrom("webhooks")
          .select(({ fn }) => fn.countAll<number | string>().as("count"))
          .where("workspaceId", "=", webhook.workspaceId)
          .executeTakeFirstOrThrow();
        if (Number(count) >= atMost) return false;
        await trx.insertInto("webhooks").values(toRow(webhook)).execute();
        await enterEvents(trx, [event]);
        return true;
      }),

    async list(workspaceId) {
      const rows = await db
        .selectFrom("webhooks")
        .selectAll()
        .where("workspaceId", "=", workspaceId)
        .orderBy("createdAt")
        .orderBy("id")
        .execute();
      return rows.map(toWebhook);
    },

    async get(workspaceId, id) {
      const row = await db
        .selectFrom("webhooks")
        .selectAll()
        .where("id", "=", id)
        .where("workspaceId", "=", workspaceId)
        .executeTakeFirst();
      return row && toWebhook(row);
    },

    update: (workspaceId, id, { events, ...change }, event) =>
      inTransaction(db, async (trx) => {
        const row = await trx
          .updateTable("webhooks")
          .set({ ...change, ...(events && { events: eventsText(events) }) })
          .where("id", "=", id)
          .where("workspaceId", "=", workspaceId)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) return undefined;
        await enterEvents(trx, [event]);
        return toWebhook(row);
      }),

    delete: (workspaceId, id, event) =>
      inTransaction(db, async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom("webhooks")
          .where("id", "=", id)
          .where("workspaceId", "=", workspaceId)
          .executeTakeFirstOrThrow();
        if (numDeletedRows === 0n) return false;
        await enterEvents(trx, [event]);
        return true;
      }),
  };
}

const eventsText = (events: Webhook["events"]): string => ` ${events.join(" ")} `;

function toRow({ secrets, events, ...webhook }: Webhook): WebhookTable {
  return { ...webhook, ...secrets, events: eventsText(events) };
}

function toWebhook({ secret, previousSecret, previousUntil, events, ...row }: Selectable<WebhookTable>): Webhook {
  const secrets = { secret, previousSecret, previousUntil };
  return { ...row, secrets, events: webhookEvents.filter((event) => events.includes(` ${event} `)) };
}

function secretMethods(db: Kysely<Schema>): Pick<WebhookStore, "callbackSecrets" | "replaceSecrets"> {
  return {
    async callbackSecrets(workspaceId, fresh) {
      const kept = () =>
        db
          .selectFrom("callbackSecrets")
          .select(["secret", "previousSecret", "previousUntil"])
          .where("workspaceId", "=", workspaceId);
      const found = await kept().executeTakeFirst();
      if (found !== undefined) return found;
      await db
        .insertInto("callbackSecrets")
        .values({ workspaceId, ...fresh })
        .onConflict((conflict) => conflict.column("workspaceId").doNothing())
        .execute();
      return kept().executeTakeFirstOrThrow();
    },

    replaceSecrets: ({ workspaceId, target }, { read, secrets }, event) =>
      inTransaction(db, async (trx) => {
        const replacing =
          target === callbacks
            ? trx
                .updateTable("callbackSecrets")
                .set(secrets)
                .where("workspaceId", "=", workspaceId)
                .where(isStill(read))
            : trx
                .updateTable("webhooks")
                .set(secrets)
                .where("id", "=", target)
                .where("workspaceId", "=", workspaceId)
                .where("secret", "=", read.secret);
        const { numUpdatedRows } = await replacing.executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await enterEvents(trx, [event]);
        return true;
      }),
  };
}

const isStill =
  ({ secret }: SealedSecrets) =>
  (eb: ExpressionBuilder<Schema, "callbackSecrets">) =>
    eb("secret", "=", secret);
