import { sql, type Kysely } from "kysely";

/** When a signing key was superseded: all but the newest were by the next one. */
export async function signingKeys(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("signingKeys").addColumn("supersededAt", "bigint").execute();
  await sql`update "signingKeys" set "supersededAt" = (
    select min("later"."createdAt") from "signingKeys" as "later"
    where "later"."createdAt" > "signingKeys"."createdAt"
      or ("later"."createdAt" = "signingKeys"."createdAt" and "later"."id" > "signingKeys"."id")
  )`.execute(db);
}
