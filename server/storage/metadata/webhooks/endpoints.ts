import type { Kysely, Selectable } from "kysely";
import type { WebhookStore } from "../../../domain/ports/webhooks.ts";
import { type Webhook, webhookEvents } from "../../../domain/webhooks/webhook.ts";
import type { Schema } from "../schema.ts";
import type { WebhookTable } from "../tables/webhooks.ts";
import { enterEvents } from "../tenants/audit.ts";
import { inTransaction } from "../transaction.ts";

type EndpointMethods = Pick<WebhookStore, "create" | "list" | "get" | "update" | "delete">;

export function endpointMethods(db: Kysely<Schema>): EndpointMethods {
  return {
    create: (webhook, atMost, event) =>
      inTransaction(db, async (trx) => {
        // Those that are made at the same time count each other.
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
