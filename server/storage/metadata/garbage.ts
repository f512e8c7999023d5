import type { Kysely, Selectable } from "kysely";
import { parseDatasetId } from "../../domain/ids.ts";
import type { Garbage, GarbageStore } from "../../domain/ports/metadata.ts";
import { batches } from "./batches.ts";
import type { GarbageTable, Schema } from "./schema.ts";

export function garbageStore(db: Kysely<Schema>): GarbageStore {
  return {
    async add(garbage, notBefore) {
      for (const batch of batches(garbage)) await enterGarbage(db, batch, notBefore);
    },

    async due(now, limit) {
      const rows = await db
        .selectFrom("garbage")
        .selectAll()
        .where("notBefore", "<=", now)
        .orderBy("notBefore")
        .orderBy("kind")
        .orderBy("key")
        .limit(limit)
        .execute();
      return rows.map(toGarbage);
    },

    async postpone({ kind, key }, notBefore) {
      await db.updateTable("garbage").set({ notBefore }).where("kind", "=", kind).where("key", "=", key).execute();
    },

    async done({ kind, key }, notBefore) {
      await db
        .deleteFrom("garbage")
        .where("kind", "=", kind)
        .where("key", "=", key)
        .$if(notBefore !== undefined, (query) => query.where("notBefore", "=", notBefore ?? null))
        .execute();
    },

    async expireAll() {
      await db.updateTable("garbage").set({ notBefore: 0 }).where("notBefore", ">", 0).execute();
    },
  };
}

/** Puts things on the list; the time given last counts. */
export async function enterGarbage(db: Kysely<Schema>, garbage: readonly Garbage[], notBefore: number): Promise<void> {
  if (garbage.length === 0) return;
  await db
    .insertInto("garbage")
    .values(garbage.map(({ kind, key }) => ({ kind, key, notBefore })))
    .onConflict((conflict) =>
      conflict.columns(["kind", "key"]).doUpdateSet(({ ref }) => ({ notBefore: ref("excluded.notBefore") })),
    )
    .execute();
}

function toGarbage({ kind, key }: Selectable<GarbageTable>): Garbage {
  if (kind === "blob") return { kind, key };
  const datasetId = parseDatasetId(key);
  if (datasetId === undefined) throw new Error(`garbage of kind ${kind} with a key that is no dataset: ${key}`);
  return { kind, key: datasetId };
}
