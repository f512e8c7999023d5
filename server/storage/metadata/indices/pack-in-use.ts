import type { Kysely } from "kysely";
import type { Schema } from "../schema.ts";

/**
 * The pack in use, which no other is put in the place of and which does not leave before the transaction ends; undefined
 * if none is. `alone`: nobody else locks it meanwhile either.
 */
export async function lockPackInUse(
  trx: Kysely<Schema>,
  { alone }: { readonly alone: boolean },
): Promise<string | undefined> {
  const inUse = trx.selectFrom("packs").select("id").where("isInUse", "=", 1);
  for (;;) {
    const locked = await (alone ? inUse.forUpdate() : inUse.forShare()).executeTakeFirst();
    if (locked !== undefined) return locked.id;
    // It was replaced while the lock was waited for: a statement that begins later finds the other.
    if ((await inUse.executeTakeFirst()) === undefined) return undefined;
  }
}
