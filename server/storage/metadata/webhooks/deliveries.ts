import type { ExpressionBuilder, Kysely, Selectable } from "kysely";
import type { DeliveryRef, WebhookStore } from "../../../domain/ports/webhooks.ts";
import type { Delivery } from "../../../domain/webhooks/webhook.ts";
import type { Schema } from "../schema.ts";
import type { WebhookDeliveryTable } from "../tables/webhooks.ts";

type DeliveryMethods = Pick<WebhookStore, "enter" | "deliveries" | "delivery" | "redeliver" | "prune">;

/** The columns of a delivery. */
export const deliveryColumns = [
  "target",
  "messageId",
  "workspaceId",
  "type",
  "payload",
  "status",
  "tries",
  "createdAt",
  "dueAt",
  "lastTryAt",
  "lastStatus",
  "lastError",
  "finishedAt",
] as const satisfies readonly (keyof WebhookDeliveryTable & keyof Delivery)[];

export function deliveryMethods(db: Kysely<Schema>): DeliveryMethods {
  return {
    async enter(delivery) {
      const lane = `${delivery.workspaceId}/${delivery.target}`;
      await db
        .insertInto("webhookDeliveries")
        .values({ ...delivery, lane, url: null, claimToken: null })
        .execute();
    },

    async deliveries({ workspaceId, target, statuses, offset, limit }) {
      const all = db
        .selectFrom("webhookDeliveries")
        .where("workspaceId", "=", workspaceId)
        .where("target", "=", target)
        .$if(statuses.length > 0, (query) => query.where("status", "in", statuses));
      const { total } = await all
        .select(({ fn }) => fn.countAll<number | string>().as("total"))
        .executeTakeFirstOrThrow();
      const data = await all
        .select(deliveryColumns)
        .orderBy("createdAt", "desc")
        .orderBy("messageId", "desc")
        .limit(limit)
        .offset(offset)
        .execute();
      return { total: Math.max(Number(total), data.length === 0 ? 0 : offset + data.length), data };
    },

    delivery: (ref) => db.selectFrom("webhookDeliveries").select(deliveryColumns).where(isIt(ref)).executeTakeFirst(),

    redeliver: (ref, now) =>
      db
        .updateTable("webhookDeliveries")
        .set({ status: "pending", dueAt: now, claimToken: null, finishedAt: null, ...neverTried })
        .where(isIt(ref))
        .returning(deliveryColumns)
        .executeTakeFirst(),

    async prune(finishedBefore, limit) {
      const old = db
        .selectFrom("webhookDeliveries")
        .select(["target", "messageId"])
        .where("finishedAt", "is not", null)
        .where("finishedAt", "<", finishedBefore)
        .orderBy("finishedAt")
        .limit(limit);
      const { numDeletedRows } = await db
        .deleteFrom("webhookDeliveries")
        .where(({ eb, refTuple }) => eb(refTuple("target", "messageId"), "in", old.$asTuple("target", "messageId")))
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };
}

const neverTried = { tries: 0, lastTryAt: null, lastStatus: null, lastError: null } as const;

const isIt =
  ({ workspaceId, target, messageId }: DeliveryRef) =>
  ({ eb, and }: ExpressionBuilder<Schema, "webhookDeliveries">) =>
    and([eb("workspaceId", "=", workspaceId), eb("target", "=", target), eb("messageId", "=", messageId)]);

export type DeliveryRow = Pick<Selectable<WebhookDeliveryTable>, (typeof deliveryColumns)[number]>;
