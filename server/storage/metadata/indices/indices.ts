import type { Kysely } from "kysely";
import type { DatasetId } from "../../../domain/ids.ts";
import type { IndexLease, IndexRef, IndexStore } from "../../../domain/ports/packs.ts";
import { batches } from "../batches.ts";
import { lockDataset } from "../documents/dataset-rows.ts";
import { hasUnlisted, listPart } from "./features.ts";
import { leaseMethods } from "./index-leases.ts";
import { holdTable } from "./index-tables.ts";
import {
  forgetMarks,
  heldIndex,
  holdIndex,
  theIndex,
  lockPackInUse,
  newGeneration,
  removeIndices,
  retire,
} from "./index-rows.ts";
import { rebuildMethods } from "./rebuilds.ts";
import { holdLease, unheld } from "../queue/claims.ts";
import type { Engine } from "../engine.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";

export function indexStore(db: Kysely<Schema>, engine: Engine): IndexStore {
  return {
    ...rebuildMethods(db, engine),
    ...leaseMethods(db, engine),
    ...makingMethods(db),

    retireStale: (now, limit) =>
      inTransaction(db, async (trx) => {
        const stale = await trx
          .selectFrom("indices")
          .select(["datasetId", "workspaceId", "pack", "generation"])
          .where("removeAt", "<=", now)
          .where("role", "=", "stale")
          .orderBy("removeAt")
          .limit(limit)
          .forUpdate()
          .execute();
        for (const index of stale) await trx.deleteFrom("indices").where(theIndex(index)).execute();
        await retire(trx, stale, now);
        return stale.length;
      }),

    async generations(datasetIds) {
      const found: (IndexRef & { datasetId: DatasetId })[] = [];
      for (const batch of batches(new Set(datasetIds))) {
        const rows = await db
          .selectFrom("indices")
          .select(["datasetId", "pack", "generation"])
          .where("datasetId", "in", batch)
          .execute();
        found.push(...rows);
      }
      return found;
    },
  };
}

type MakingMethods = Pick<IndexStore, "begin" | "unmarked" | "countMarked" | "mark" | "complete" | "fail">;

/** Builds an index, from its creation until it is served or has failed. */
function makingMethods(db: Kysely<Schema>): MakingMethods {
  return {
    begin: (lease, dataset, afresh, now) =>
      inTransaction(db, async (trx) => {
        if (!(await holdLease(trx, lease)) || !(await lockDataset(trx, dataset.id))) return undefined;
        const served = await trx
          .selectFrom("indices")
          .select(["pack", "generation"])
          .where("datasetId", "=", dataset.id)
          .where("role", "=", "served")
          .executeTakeFirst();
        if (served !== undefined && !afresh) return served;
        const pack = await lockPackInUse(trx, { alone: false });
        if (pack === undefined) throw new Error("no model pack is in use");
        await removeIndices(trx, dataset.id, now);
        const index = { pack, generation: newGeneration() };
        const row = { datasetId: dataset.id, ...index, workspaceId: dataset.workspaceId, role: "served" } as const;
        await trx
          .insertInto("indices")
          .values({ ...row, ...unheld, failure: null, removeAt: null, retryAt: null, tries: 0, rebuild: null })
          .execute();
        return index;
      }),

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

    mark: (lease, marks, now, part) => mark(db, lease, marks, now, part),
    complete: (lease, removeAt) => inTransaction(db, (trx) => complete(trx, lease, removeAt)),

    fail: (lease, reason, now) =>
      inTransaction(db, async (trx) => {
        const failed = await trx
          .selectFrom("indices")
          .select(["datasetId", "workspaceId", "pack", "generation"])
          .where(heldIndex(lease))
          .forUpdate()
          .executeTakeFirst();
        if (failed === undefined) return false;
        await retire(trx, [failed], now);
        // The row stays, so that the failure is listed and not retried. A later retry uses the new generation.
        await trx
          .updateTable("indices")
          .set({ ...unheld, failure: reason, generation: newGeneration() })
          .where(heldIndex(lease))
          .execute();
        await forgetMarks(trx, lease);
        return true;
      }),
  };
}

/** Implements `IndexStore.mark`. */
async function mark(
  db: Kysely<Schema>,
  lease: IndexLease,
  marks: Parameters<IndexStore["mark"]>[1],
  now: number,
  part: Parameters<IndexStore["mark"]>[3],
): Promise<boolean> {
  const { datasetId, pack } = lease;
  let unlisted = part;
  const runs = [...batches(marks)];
  // Without marks, one empty batch still checks whether the lease holds.
  for (const batch of runs.length === 0 ? [[]] : runs) {
    const held = await inTransaction(db, async (trx) => {
      if (!(await holdIndex(trx, lease))) return false;
      if (batch.length === 0) return true;
      if (unlisted !== undefined) await listPart(trx, { datasetId, ...unlisted }, unlisted);
      await trx
        .insertInto("indexPages")
        .values(
          batch.map(({ page, failure, absentFrom = [] }) => ({
            datasetId,
            pack,
            page,
            failure,
            embeddedAt: failure === null ? now : null,
            isSuspect: 0,
            absentFrom: absentFrom.join(","),
          })),
        )
        .onConflict((conflict) =>
          conflict.columns(["datasetId", "pack", "page"]).doUpdateSet(({ ref }) => ({
            embeddedAt: ref("excluded.embeddedAt"),
            failure: ref("excluded.failure"),
            absentFrom: ref("excluded.absentFrom"),
            isSuspect: 0,
          })),
        )
        .execute();
      return true;
    });
    if (!held) return false;
    unlisted = undefined;
  }
  return true;
}

/** Implements `IndexStore.complete`. */
async function complete(
  trx: Kysely<Schema>,
  lease: IndexLease,
  removeAt: number,
): Promise<"complete" | "later" | "lost"> {
  const { datasetId, pack } = lease;
  // With this lock, later jobs find the index as this transaction leaves it.
  if (!(await lockDataset(trx, datasetId)) || !(await holdIndex(trx, lease))) return "lost";
  const job = await trx
    .selectFrom("jobs")
    .select("id")
    .where("datasetId", "=", datasetId)
    .where("finishedAt", "is", null)
    .limit(1)
    .executeTakeFirst();
  if (job !== undefined || (await unmarked(trx, datasetId, pack)).length > 0) {
    await trx.updateTable("indices").set(unheld).where(heldIndex(lease)).execute();
    return "later";
  }
  await trx
    .updateTable("pages")
    .from("indexPages")
    .set(({ ref }) => ({
      embeddedAt: ref("indexPages.embeddedAt"),
      embedFailure: ref("indexPages.failure"),
      absentFrom: ref("indexPages.absentFrom"),
    }))
    .where("pages.datasetId", "=", datasetId)
    .where("indexPages.datasetId", "=", datasetId)
    .where("indexPages.pack", "=", pack)
    .whereRef("pages.page", "=", "indexPages.page")
    .where("pages.failure", "is", null)
    .execute();
  const before = await trx
    .updateTable("indices")
    .set({ role: "stale", removeAt })
    .where("datasetId", "=", datasetId)
    .where("role", "=", "served")
    .returning("rebuild")
    .executeTakeFirst();
  const { generation } = await trx
    .selectFrom("indices")
    .select("generation")
    .where(theIndex(lease))
    .executeTakeFirstOrThrow();
  const index = { datasetId, generation };
  // Discarding a table marks only served indices, and this one is not served yet, so the table is locked.
  await holdTable(trx, index);
  // The description of the document may have changed after this index received it.
  const said = before?.rebuild === "said" ? before.rebuild : null;
  const rebuild = (await hasUnlisted(trx, index)) ? "missing" : said;
  await trx
    .updateTable("indices")
    .set({ ...unheld, role: "served", failure: null, removeAt: null, retryAt: null, tries: 0, rebuild })
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
