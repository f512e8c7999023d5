import type { Kysely } from "kysely";
import type { KeyId, MemberId, SessionId } from "../../domain/ids.ts";
import { batches, byKey } from "./batches.ts";
import type { Schema } from "./schema.ts";
import { inTransaction } from "./transaction.ts";

/** Records, by id, when rows were last used, unless a later use is recorded already. */
export async function noteUses(
  db: Kysely<Schema>,
  table: "apiKeys" | "members" | "sessions",
  uses: ReadonlyMap<KeyId | MemberId | SessionId, number>,
): Promise<void> {
  for (const batch of batches(byKey(uses, ([id]) => id))) {
    await inTransaction(db, async (trx) => {
      for (const [id, usedAt] of batch) {
        await trx
          .updateTable(table)
          .set({ lastUsedAt: usedAt })
          .where("id", "=", id)
          .where(({ eb, or }) => or([eb("lastUsedAt", "is", null), eb("lastUsedAt", "<", usedAt)]))
          .execute();
      }
    });
  }
}
