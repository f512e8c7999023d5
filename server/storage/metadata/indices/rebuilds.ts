import type { Kysely } from "kysely";
import type { ClaimedIndex, IndexStore, RenewalKind, IndexLease } from "../../../domain/ports/packs.ts";
import { batches } from "../batches.ts";
import { suspectIndexPages } from "./claim-index.ts";
import { listPart } from "./features.ts";
import { leaseEnd, maxLeaseMs, maxPauseMs, newToken, unheld } from "../queue/claims.ts";
import type { Engine } from "../engine.ts";
import { forgetMarks, heldIndex, holdIndex, suspectsOf, theIndex, toRebuild } from "./index-rows.ts";
import type { Schema } from "../schema.ts";
import { againIfUndone, inTransaction } from "../transaction.ts";
import { unlessWritten } from "../unless-written.ts";
import type { DatasetId } from "../../../domain/ids.ts";

type RebuildMethods = Pick<
  IndexStore,
  | "served"
  | "rebuild"
  | "enterUnlisted"
  | "claimRebuild"
  | "markRebuilt"
  | "rebuilt"
  | "countRebuilds"
  | "hasRenewals"
  | "incomplete"
>;

type Incomplete = IndexStore["incomplete"];

/** Rebuilds indices that have lost rows, or need it for another reason. They stay served in the meantime. */
export function rebuildMethods(db: Kysely<Schema>, engine: Engine): RebuildMethods {
  const incompleteDatasets: Incomplete = async ({ workspaceId, datasetIds }, limit) => {
    const rows = await db
      .selectFrom("indices")
      .select("datasetId")
      .where("workspaceId", "=", workspaceId)
      .where("role", "=", "served")
      .where("rebuild", "=", "missing")
      .$if(datasetIds !== undefined, (query) => query.where("datasetId", "in", datasetIds ?? []))
      .orderBy("datasetId")
      .limit(limit)
      .execute();
    return rows.map(({ datasetId }) => datasetId);
  };
  const incompleteOfAll = unlessWritten(engine, incompleteDatasets);
  const rebuild: IndexStore["rebuild"] = async (datasetIds, how) => {
    for (const batch of batches(new Set(datasetIds))) {
      const marking = db
        .updateTable("indices")
        .set(toRebuild(how))
        .where("datasetId", "in", batch)
        .where("role", "=", "served");
      await againIfUndone(() => marking.execute());
    }
  };

  return {
    async served(pack, after, limit) {
      let query = db
        .selectFrom("indices")
        .select(["datasetId", "workspaceId", "pack", "generation"])
        .where("pack", "=", pack)
        .where("role", "=", "served");
      if (after !== undefined) query = query.where("datasetId", ">", after);
      return query.orderBy("datasetId").limit(limit).execute();
    },

    rebuild,

    async enterUnlisted() {
      const datasetIds = await unlistedIndices(db);
      await rebuild(datasetIds, "missing");
      return datasetIds.length;
    },

    claimRebuild: (owner, leaseMs) =>
      inTransaction(db, async (trx) => claimRebuild(trx, { owner, leaseMs, now: await engine.now(trx) })),

    markRebuilt: (lease, marks, part) => inTransaction(db, (trx) => markRebuilt(trx, lease, marks, part)),

    rebuilt: (lease) =>
      inTransaction(db, async (trx) => {
        if (!(await holdIndex(trx, lease))) return false;
        await trx
          .updateTable("indices")
          .set({ ...unheld, rebuild: null, retryAt: null, tries: 0 })
          .where(heldIndex(lease))
          .execute();
        await forgetMarks(trx, lease);
        return true;
      }),

    async countRebuilds() {
      const { rebuilds } = await db
        .selectFrom("indices")
        .select(({ fn }) => fn.countAll<number | string>().as("rebuilds"))
        .where("rebuild", "in", ["missing", "all"])
        .executeTakeFirstOrThrow();
      return Number(rebuilds);
    },

    async hasRenewals() {
      const found = await db.selectFrom("indices").select("pack").where("rebuild", "is not", null).limit(1).execute();
      return found.length > 0;
    },

    // Only the answer for all datasets is cached: nearly every search needs it, whereas a list of datasets may be long.
    incomplete: (scope, limit) => (scope.datasetIds === undefined ? incompleteOfAll : incompleteDatasets)(scope, limit),
  };
}

/** Returns the datasets with served indices that have features in no table and are not marked for a rebuild yet. */
async function unlistedIndices(db: Kysely<Schema>): Promise<readonly DatasetId[]> {
  const unlisted = await db
    .selectFrom("features")
    .innerJoin("indices", (join) =>
      join
        .onRef("indices.datasetId", "=", "features.datasetId")
        .onRef("indices.generation", "=", "features.generation"),
    )
    .select("indices.datasetId")
    .distinct()
    .where("features.table", "=", "")
    .where("role", "=", "served")
    .where("rebuild", "is", null)
    .execute();
  return unlisted.map(({ datasetId }) => datasetId);
}

/** Implements `IndexStore.markRebuilt`. */
async function markRebuilt(
  trx: Kysely<Schema>,
  lease: IndexLease,
  marks: Parameters<IndexStore["markRebuilt"]>[1],
  part: Parameters<IndexStore["markRebuilt"]>[2],
): Promise<boolean> {
  if (!(await holdIndex(trx, lease))) return false;
  for (const { page, failure, absentFrom = [] } of marks) {
    await trx
      .updateTable("pages")
      .set(
        failure === null
          ? { absentFrom: absentFrom.join(",") }
          : { embeddedAt: null, embedFailure: failure, absentFrom: "" },
      )
      .where("datasetId", "=", lease.datasetId)
      .where("page", "=", page)
      .execute();
  }
  if (part !== undefined) await listPart(trx, { datasetId: lease.datasetId, ...part }, part);
  return true;
}

async function claimRebuild(
  trx: Kysely<Schema>,
  { owner, leaseMs, now }: { owner: string; leaseMs: number; now: number },
): Promise<(ClaimedIndex & { how: RenewalKind }) | undefined> {
  const found = await trx
    .selectFrom("indices")
    .select(["datasetId", "pack", "workspaceId", "generation", "inFlight", "tries", "rebuild"])
    .where("rebuild", "is not", null)
    .where("role", "=", "served")
    .where(({ eb, or }) =>
      or([eb("leaseOwner", "is", null), eb("leaseUntil", "<=", now), eb("leaseUntil", ">", now + maxLeaseMs)]),
    )
    .where(({ eb, or }) =>
      or([eb("retryAt", "is", null), eb("retryAt", "<=", now), eb("retryAt", ">", now + maxPauseMs)]),
    )
    .orderBy("rebuild", "desc")
    .orderBy("datasetId")
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (found === undefined || found.rebuild === null) return undefined;
  const { datasetId, pack, workspaceId, generation, tries, rebuild: how } = found;
  await suspectIndexPages(trx, found);
  const token = newToken();
  await trx
    .updateTable("indices")
    .set({ leaseOwner: owner, claimToken: token, leaseUntil: leaseEnd(now, leaseMs), inFlight: "", retryAt: null })
    .where(theIndex(found))
    .execute();
  const suspects = await suspectsOf(trx, datasetId, pack);
  return { lease: { datasetId, pack, token }, pack, generation, workspaceId, suspects, tries, how };
}

/** Lease of a renewal, ms. A renewal takes milliseconds, or a second if the vectors are in an object store. */
const renewalMs = 3_000;

/**
 * Marks the indices of datasets for new rows with the current descriptions, and claims them. Call it in the transaction
 * that changes the descriptions. If the process ends before it has written the rows, workers write them. An index that
 * is being made or rebuilt gets these rows together with the others.
 */
export async function claimRenewals(
  trx: Kysely<Schema>,
  datasetIds: readonly DatasetId[],
  now: number,
): Promise<readonly IndexLease[]> {
  const token = newToken();
  const claimed = await trx
    .updateTable("indices")
    .set({
      rebuild: "said",
      leaseOwner: "update",
      // The new token ends an earlier claim, which might write the previous descriptions.
      claimToken: token,
      leaseUntil: leaseEnd(now, renewalMs),
      retryAt: null,
      tries: 0,
    })
    .where("datasetId", "in", datasetIds)
    .where("role", "=", "served")
    .where(({ eb, or }) => or([eb("rebuild", "is", null), eb("rebuild", "=", "said")]))
    .returning(["datasetId", "pack"])
    .execute();
  return claimed.map((index) => ({ ...index, token }));
}
