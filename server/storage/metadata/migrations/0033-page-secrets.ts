import type { Kysely } from "kysely";

/** Beside the secret in the cookie of a session, that of its pages; null: an earlier version has begun it, and it has ended. */
export async function pageSecrets(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("sessions").addColumn("pageSecretSha256", "text").execute();
}
