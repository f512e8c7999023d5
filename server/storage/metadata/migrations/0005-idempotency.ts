import type { Kysely } from "kysely";
import type { Engine } from "../engine.ts";

/** Requests with an idempotency key, and their answers. */
export async function idempotency(db: Kysely<unknown>, { types }: Engine): Promise<void> {
  await db.schema
    .createTable("attempts")
    .addColumn("workspaceId", "text", (column) => column.notNull().references("workspaces.id").onDelete("cascade"))
    .addColumn("method", "text", (column) => column.notNull())
    .addColumn("keySha256", "text", (column) => column.notNull())
    .addColumn("holder", "text", (column) => column.notNull())
    .addColumn("heldUntil", "bigint", (column) => column.notNull())
    .addColumn("expiresAt", "bigint", (column) => column.notNull())
    .addColumn("datasetId", "text", (column) => column.notNull())
    .addColumn("jobId", "text", (column) => column.notNull())
    .addColumn("uploadKey", "text", (column) => column.notNull())
    .addColumn("bodySha256", "text")
    .addColumn("bodyFileBytes", "bigint")
    .addColumn("answer", types.bytes)
    .addPrimaryKeyConstraint("attemptsKey", ["workspaceId", "method", "keySha256"])
    .execute();
  await db.schema.createIndex("attemptsByExpiry").on("attempts").column("expiresAt").execute();
}
