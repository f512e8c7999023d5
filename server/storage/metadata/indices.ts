import type { ExpressionBuilder, Kysely } from "kysely";
import type { DatasetId } from "../../domain/ids.ts";
import type { IndexLease, IndexStore } from "../../domain/ports/packs.ts";
import { batches } from "./batches.ts";
import { claimIndex, countIndexCrashes } from "./claim-index.ts";
import { holdLease } from "./leases.ts";
import type { Schema } from "./schema.ts";

export function indexStore(db: Kysely<Schema>): IndexStore {
  return {
    begin: (lease, dataset, afresh) =>
      db.transaction().execute(async (trx) => {
        if (!(await holdLease(trx, lease))) return undefined;
        const served = await trx
          .selectFrom("indices")
          .select("pack")
          .where("datasetId", "=", dataset.id)
          .where("role", "=", "served")
          .executeTakeFirst();
        if (served !== undefined && !afresh) return served.pack;
        const { id: pack } = await trx
          .selectFrom("packs")
          .select("id")
          .where("isInUse", "=", 1)
          .executeTakeFirstOrThrow(() => new Error("no model pack is in use"));
        for (const table of ["indexPages", "indices"] as const) {
          await trx.deleteFrom(table).where("datasetId", "=", dataset.id).execute();
        }
        const row = { datasetId: dataset.id, pack, workspaceId: dataset.workspaceId, role: "served" } as const;
        await trx
          .insertInto("indices")
          .values({ ...row, ...unheld, failure: null, removeAt: null })
          .execute();
        return pack;
      }),

    claim: (owner, now, leaseUntil) => db.transaction().execute((trx) => claimIndex(trx, owner, now, leaseUntil)),

    async renew(lease, leaseUntil) {
      const { numUpdatedRows } = await db
        .updateTable("indices")
        .set({ leaseUntil })
        .where(heldBy(lease))
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async setInFlight(lease, pages) {
      const { numUpdatedRows } = await db
        .updateTable("indices")
        .set({ inFlight: pages.join(",") })
        .where(heldBy(lease))
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    unmarked: (datasetId, pack) => unmarked(db, datasetId, pack),

    async countMarked(datasetId, pack) {
      const { embedded, failed } = await db
        .selectFrom("indexPages")
        .select(({ fn }) => [
          fn.count<number | string>("embeddedAt").as("embedded"),
          fn.count<number | string>("failure").as("failed"),
        ])
        .where("datasetId", "=", datasetId)
        .where("pack", "=", pack)
        .executeTakeFirstOrThrow();
      return { embedded: Number(embedded), failed: Number(failed) };
    },

    async mark(lease, marks, now) {
      const { datasetId, pack } = lease;
      const runs = [...batches(marks)];
      // Without marks the caller still learns whether the lease holds.
      for (const batch of runs.length === 0 ? [[]] : runs) {
        const held = await db.transaction().execute(async (trx) => {
          if (!(await hold(trx, lease))) return false;
          if (batch.length === 0) return true;
          await trx
            .insertInto("indexPages")
            .values(
              batch.map(({ page, failure }) => ({
                datasetId,
                pack,
                page,
                failure,
                embeddedAt: failure === null ? now : null,
                crashes: 0,
              })),
            )
            .onConflict((conflict) =>
              conflict.columns(["datasetId", "pack", "page"]).doUpdateSet(({ ref }) => ({
                embeddedAt: ref("excluded.embeddedAt"),
                failure: ref("excluded.failure"),
              })),
            )
            .execute();
          return true;
        });
        if (!held) return false;
      }
      return true;
    },

    complete: (lease, removeAt) => db.transaction().execute((trx) => complete(trx, lease, removeAt)),

    fail: (lease, reason, now) =>
      db.transaction().execute(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable("indices")
          .set({ ...unheld, failure: reason, removeAt: now })
          .where(heldBy(lease))
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await forgetMarks(trx, lease);
        return true;
      }),

    async release(lease) {
      await db.updateTable("indices").set(unheld).where(heldBy(lease)).execute();
    },

    expireLeases: (owner) =>
      db.transaction().execute(async (trx) => {
        const held = await trx
          .selectFrom("indices")
          .select(["datasetId", "pack", "inFlight"])
          .where("leaseOwner", "is not", null)
          .$if(owner !== undefined, (query) => query.where("leaseOwner", "=", owner ?? null))
          .execute();
        for (const row of held) {
          await countIndexCrashes(trx, row);
          await trx.updateTable("indices").set(unheld).where(theIndex(row)).execute();
        }
      }),

    claimRemoval: (owner, now, leaseUntil) =>
      db.transaction().execute(async (trx) => {
        const found = await trx
          .selectFrom("indices")
          .select(["datasetId", "pack"])
          .where("removeAt", "<=", now)
          .where("role", "<>", "served")
          .where(({ eb, or }) => or([eb("leaseOwner", "is", null), eb("leaseUntil", "<=", now)]))
          .orderBy("removeAt")
          .limit(1)
          .executeTakeFirst();
        if (found === undefined) return undefined;
        await trx.updateTable("indices").set({ leaseOwner: owner, leaseUntil }).where(theIndex(found)).execute();
        return { ...found, owner };
      }),

    removed: (lease) =>
      db.transaction().execute(async (trx) => {
        // A failure stays to be listed, and not to be tried again.
        const failed = ({ eb, and }: ExpressionBuilder<Schema, "indices">) =>
          and([eb("role", "=", "making"), eb("failure", "is not", null)]);
        await trx
          .updateTable("indices")
          .set({ ...unheld, removeAt: null })
          .where(heldBy(lease))
          .where(failed)
          .execute();
        await trx
          .deleteFrom("indices")
          .where(heldBy(lease))
          .where("role", "<>", "served")
          .where((builder) => builder.not(failed(builder)))
          .execute();
      }),
  };
}

const unheld = { leaseOwner: null, leaseUntil: null, inFlight: "" } as const;

/** What `IndexStore.complete` does. */
async function complete(
  trx: Kysely<Schema>,
  lease: IndexLease,
  removeAt: number,
): Promise<"complete" | "later" | "lost"> {
  if (!(await hold(trx, lease))) return "lost";
  const { datasetId, pack } = lease;
  const job = await trx
    .selectFrom("jobs")
    .select("id")
    .where("datasetId", "=", datasetId)
    .where("finishedAt", "is", null)
    .limit(1)
    .executeTakeFirst();
  if (job !== undefined || (await unmarked(trx, datasetId, pack)).length > 0) {
    await trx.updateTable("indices").set(unheld).where(heldBy(lease)).execute();
    return "later";
  }
  await trx
    .updateTable("pages")
    .from("indexPages")
    .set(({ ref }) => ({ embeddedAt: ref("indexPages.embeddedAt"), embedFailure: ref("indexPages.failure") }))
    .where("pages.datasetId", "=", datasetId)
    .where("indexPages.datasetId", "=", datasetId)
    .where("indexPages.pack", "=", pack)
    .whereRef("pages.page", "=", "indexPages.page")
    .where("pages.failure", "is", null)
    .execute();
  await trx
    .updateTable("indices")
    .set({ role: "stale", removeAt })
    .where("datasetId", "=", datasetId)
    .where("role", "=", "served")
    .execute();
  await trx
    .updateTable("indices")
    .set({ ...unheld, role: "served", failure: null, removeAt: null })
    .where(theIndex(lease))
    .execute();
  await forgetMarks(trx, lease);
  return "complete";
}

async function unmarked(db: Kysely<Schema>, datasetId: DatasetId, pack: string): Promise<number[]> {
  const rows = await db
    .selectFrom("pages")
    .select("page")
    .where("datasetId", "=", datasetId)
    .where("failure", "is", null)
    .where(({ eb, or }) => or([eb("embeddedAt", "is not", null), eb("embedFailure", "is not", null)]))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("indexPages")
            .select("indexPages.page")
            .where("indexPages.datasetId", "=", datasetId)
            .where("indexPages.pack", "=", pack)
            .whereRef("indexPages.page", "=", "pages.page")
            .where(({ eb, or }) =>
              or([eb("indexPages.embeddedAt", "is not", null), eb("indexPages.failure", "is not", null)]),
            ),
        ),
      ),
    )
    .orderBy("page")
    .execute();
  return rows.map(({ page }) => page);
}

async function forgetMarks(trx: Kysely<Schema>, { datasetId, pack }: IndexLease): Promise<void> {
  await trx.deleteFrom("indexPages").where("datasetId", "=", datasetId).where("pack", "=", pack).execute();
}

/** True if the lease holds; it then cannot be lost before the transaction ends, because its row is written. */
async function hold(trx: Kysely<Schema>, lease: IndexLease): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("indices")
    .set({ leaseOwner: lease.owner })
    .where(heldBy(lease))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

function heldBy({ owner, ...index }: IndexLease) {
  return (builder: ExpressionBuilder<Schema, "indices">) =>
    builder.and([theIndex(index)(builder), builder("leaseOwner", "=", owner)]);
}

function theIndex({ datasetId, pack }: Pick<IndexLease, "datasetId" | "pack">) {
  return ({ and, eb }: ExpressionBuilder<Schema, "indices">) =>
    and([eb("datasetId", "=", datasetId), eb("pack", "=", pack)]);
}
