import { type ExpressionBuilder, type Kysely, sql } from "kysely";
import type { FeaturesOf } from "../../../domain/ports/features.ts";
import type { Garbage } from "../../../domain/ports/garbage.ts";
import type { IndexTables, TableOf } from "../../../domain/ports/index-tables.ts";
import { batches } from "../batches.ts";
import { enterGarbage, offList } from "../documents/garbage.ts";
import type { Engine } from "../engine.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";
import { unlessWritten } from "../unless-written.ts";
import { toRebuild } from "./index-rows.ts";

const columns = ["workspaceId", "pack", "name", "unsyncedIn", "version"] as const;

export function indexTables(db: Kysely<Schema>, engine: Engine): IndexTables {
  const find: IndexTables["find"] = (of) =>
    db.selectFrom("indexTables").select(columns).where(tableOf(of)).executeTakeFirst();

  return {
    // Called by nearly every search.
    find: unlessWritten(engine, find),

    add: (table) =>
      inTransaction(db, async (trx) => {
        const current = await trx
          .insertInto("indexTables")
          .values({ ...table, writes: 0, isDue: 0, maintainedAt: 0 })
          // Changes nothing, but returns the row and locks it.
          .onConflict((conflict) => conflict.columns(["workspaceId", "pack"]).doUpdateSet({ pack: table.pack }))
          .returning(columns)
          .executeTakeFirstOrThrow();
        if (current.name === table.name) await offList(trx, { kind: "table", key: table.name });
        return current;
      }),

    noteWrite: (of, unsyncedIn) =>
      db
        .updateTable("indexTables")
        .set(({ eb }) => ({ writes: eb("writes", "+", 1), isDue: 1, unsyncedIn }))
        .where(tableOf(of))
        .returning(columns)
        .executeTakeFirst(),

    async noteVersion(name, version) {
      await db
        .updateTable("indexTables")
        .set({ version })
        .where("name", "=", name)
        .where("version", "<", version)
        .execute();
    },

    discard: (table, now) => inTransaction(db, (trx) => discard(trx, table, now)),

    forgetAll: () =>
      inTransaction(db, async (trx) => {
        await trx.deleteFrom("indexTables").execute();
        await trx.deleteFrom("garbage").where("kind", "=", "table").execute();
        await trx.updateTable("features").set({ table: "" }).where("table", "<>", "").execute();
        await startOver(trx, await engine.now(trx));
      }),

    ofPack: (pack, limit) =>
      db
        .selectFrom("indexTables")
        .select(columns)
        .where("pack", "=", pack)
        .orderBy("workspaceId")
        .limit(limit)
        .execute(),

    due: (before, limit) =>
      db
        .selectFrom("indexTables")
        .select([...columns, "writes"])
        // The condition matches that of the partial index.
        .where(sql<boolean>`"isDue" = 1`)
        .where("maintainedAt", "<", before)
        .orderBy("maintainedAt")
        .limit(limit)
        .execute(),

    async maintained({ name, writes }, { at, isDone }) {
      await db.updateTable("indexTables").set({ maintainedAt: at }).where("name", "=", name).execute();
      if (!isDone) return;
      await db
        .updateTable("indexTables")
        .set({ isDue: 0, unsyncedIn: "" })
        .where("name", "=", name)
        .where("writes", "=", writes)
        .execute();
    },
  };
}

const tableOf =
  ({ workspaceId, pack }: TableOf) =>
  ({ and, eb }: ExpressionBuilder<Schema, "indexTables">) =>
    and([eb("workspaceId", "=", workspaceId), eb("pack", "=", pack)]);

/** Implements `IndexTables.discard`. */
async function discard(
  trx: Kysely<Schema>,
  { workspaceId, pack, name }: Parameters<IndexTables["discard"]>[0],
  now: number,
): Promise<boolean> {
  // This comes first, because it waits for transactions that list parts in the table; the next statements then find
  // these parts.
  const { numDeletedRows } = await trx
    .deleteFrom("indexTables")
    .where(tableOf({ workspaceId, pack }))
    .where("name", "=", name)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) return false;
  await trx.updateTable("features").set({ table: "" }).where("table", "=", name).execute();
  await trx
    .updateTable("indices")
    .set(toRebuild("missing"))
    .where("workspaceId", "=", workspaceId)
    .where("pack", "=", pack)
    .where("role", "=", "served")
    .execute();
  await enterGarbage(trx, [{ kind: "table", key: name }], now);
  return true;
}

/**
 * Returns the name of the table for the rows of an index, and locks it: it is not discarded before the transaction
 * ends.
 */
export async function holdTable(
  trx: Kysely<Schema>,
  { datasetId, generation }: FeaturesOf,
): Promise<string | undefined> {
  const table = await trx
    .selectFrom("indices")
    .innerJoin("indexTables", (join) =>
      join.onRef("indexTables.workspaceId", "=", "indices.workspaceId").onRef("indexTables.pack", "=", "indices.pack"),
    )
    .select("indexTables.name")
    .where("indices.datasetId", "=", datasetId)
    .where("indices.generation", "=", generation)
    .forKeyShare("indexTables")
    .executeTakeFirst();
  return table?.name;
}

/** Removes the marks and the features of indices that are being made. */
async function startOver(trx: Kysely<Schema>, now: number): Promise<void> {
  await trx
    .deleteFrom("indexPages")
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("indices")
          .select("indices.pack")
          .whereRef("indices.datasetId", "=", "indexPages.datasetId")
          .whereRef("indices.pack", "=", "indexPages.pack")
          .where("indices.role", "=", "making"),
      ),
    )
    .execute();
  const parts = await trx
    .deleteFrom("features")
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("indices")
          .select("indices.pack")
          .whereRef("indices.datasetId", "=", "features.datasetId")
          .whereRef("indices.generation", "=", "features.generation")
          .where("indices.role", "=", "making"),
      ),
    )
    .returning("key")
    .execute();
  for (const batch of batches(parts)) {
    const blobs = batch.map(({ key }): Garbage => ({ kind: "blob", key }));
    await enterGarbage(trx, blobs, now);
  }
}
