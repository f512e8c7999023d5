import type { ExpressionBuilder, Kysely } from "kysely";
import type { WebhookStore } from "../../../domain/ports/webhooks.ts";
import { callbacks, type SealedSecrets } from "../../../domain/webhooks/webhook.ts";
import type { Schema } from "../schema.ts";
import { enterEvents } from "../tenants/audit.ts";
import { inTransaction } from "../transaction.ts";

export function secretMethods(db: Kysely<Schema>): Pick<WebhookStore, "callbackSecrets" | "replaceSecrets"> {
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
