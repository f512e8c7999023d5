import type { Kysely } from "kysely";
import type { DatasetId, WorkspaceId } from "../../../domain/ids.ts";
import type { ClaimedIndex } from "../../../domain/ports/packs.ts";
import { leaseEnd, maxLeaseMs, maxPauseMs, newToken } from "../queue/claims.ts";
import type { Engine } from "../engine.ts";
import { newGeneration, retire, suspectsOf, theIndex, lockPackInUse } from "./index-rows.ts";
import type { Schema } from "../schema.ts";

/**
 * Claims the next dataset that has to change to the pack in use. Call it in a transaction. Workspaces take turns: the
 * one with the oldest claim comes first.
 */
export async function claimIndex(
  trx: Kysely<Schema>,
  engine: Engine,
  { owner, leaseMs, now }: { owner: string; leaseMs: number; now: number },
): Promise<ClaimedIndex | undefined> {
  const storeNow = await engine.now(trx);
  // Only one claim runs at a time, and none while another pack is being put to use.
  const pack = await lockPackInUse(trx, { alone: true });
  if (pack === undefined) return undefined;
  for (const workspaceId of await workspacesInTurn(trx)) {
    const waiting = waitingIn(trx, workspaceId, { pack, now: storeNow });
    const datasetId = (await waiting.limit(1).executeTakeFirst())?.datasetId;
    if (datasetId === undefined || !(await lockIndex(trx, datasetId, pack))) continue;
    // Before it was locked, the dataset may have been deleted, completed or given up.
    if ((await waiting.where("served.datasetId", "=", datasetId).executeTakeFirst()) === undefined) continue;
    await trx.updateTable("workspaces").set({ reindexedAt: storeNow }).where("id", "=", workspaceId).execute();
    return take(trx, { datasetId, pack, workspaceId }, { owner, leaseUntil: leaseEnd(storeNow, leaseMs), now });
  }
  return undefined;
}

/** Lists the workspaces with datasets that are served from other packs, the one with the oldest claim first. */
async function workspacesInTurn(trx: Kysely<Schema>): Promise<readonly WorkspaceId[]> {
  const rows = await trx
    .selectFrom("workspaces")
    .select("id")
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("packs")
          .innerJoin("indices", "indices.pack", "packs.id")
          .select("indices.pack")
          .where("isInUse", "=", 0)
          .where("role", "=", "served")
          .whereRef("indices.workspaceId", "=", "workspaces.id"),
      ),
    )
    .orderBy("reindexedAt", (order) => order.asc().nullsFirst())
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** Selects the datasets of the workspace that may be claimed. */
function waitingIn(trx: Kysely<Schema>, workspaceId: WorkspaceId, { pack, now }: { pack: string; now: number }) {
  return trx
    .selectFrom("packs")
    .innerJoin("indices as served", "served.pack", "packs.id")
    .leftJoin("indices as next", (join) =>
      join.onRef("next.datasetId", "=", "served.datasetId").on("next.pack", "=", pack),
    )
    .select("served.datasetId")
    .where("packs.isInUse", "=", 0)
    .where("served.role", "=", "served")
    .where("served.workspaceId", "=", workspaceId)
    .where("next.failure", "is", null)
    .where(({ eb, or }) =>
      or([
        eb("next.leaseOwner", "is", null),
        eb("next.leaseUntil", "<=", now),
        eb("next.leaseUntil", ">", leaseEnd(now, maxLeaseMs)),
      ]),
    )
    .where(({ eb, or }) =>
      or([eb("next.retryAt", "is", null), eb("next.retryAt", "<=", now), eb("next.retryAt", ">", now + maxPauseMs)]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("jobs")
            .select("jobs.id")
            .whereRef("jobs.datasetId", "=", "served.datasetId")
            .where("jobs.finishedAt", "is", null),
        ),
      ),
    );
}

/**
 * Locks a dataset and its index in the pack. Returns false if another transaction has locked the dataset: that
 * transaction may be waiting for the pack that this one has locked, so the dataset is left to the next claim.
 */
async function lockIndex(trx: Kysely<Schema>, datasetId: DatasetId, pack: string): Promise<boolean> {
  const dataset = trx.selectFrom("datasets").select("id").where("id", "=", datasetId);
  if ((await dataset.forKeyShare().skipLocked().executeTakeFirst()) === undefined) return false;
  await trx.selectFrom("indices").select("pack").where(theIndex({ datasetId, pack })).forUpdate().execute();
  return true;
}

async function take(
  trx: Kysely<Schema>,
  { datasetId, pack, workspaceId }: { datasetId: DatasetId; pack: string; workspaceId: WorkspaceId },
  { owner, leaseUntil, now }: { owner: string; leaseUntil: number; now: number },
): Promise<ClaimedIndex> {
  const before = await trx
    .selectFrom("indices")
    .select(["role", "generation", "inFlight", "tries"])
    .where("datasetId", "=", datasetId)
    .where("pack", "=", pack)
    .executeTakeFirst();
  const token = newToken();
  let generation = newGeneration();
  if (before?.role === "making") {
    generation = before.generation;
    await suspectIndexPages(trx, { datasetId, pack, inFlight: before.inFlight });
  } else if (before !== undefined) {
    // This index served the dataset until a moment ago, and its rows do not match what the dataset has now.
    await retire(trx, [{ datasetId, workspaceId, pack, generation: before.generation }], now);
  }
  const held = {
    role: "making",
    generation,
    removeAt: null,
    leaseOwner: owner,
    claimToken: token,
    leaseUntil,
    inFlight: "",
    retryAt: null,
  } as const;
  await trx
    .insertInto("indices")
    .values({ datasetId, pack, workspaceId, failure: null, tries: 0, rebuild: null, ...held })
    .onConflict((conflict) => conflict.columns(["datasetId", "pack"]).doUpdateSet(held))
    .execute();
  const suspects = await suspectsOf(trx, datasetId, pack);
  return {
    lease: { datasetId, pack, token },
    pack,
    generation,
    workspaceId,
    suspects,
    tries: before?.tries ?? 0,
  };
}

/** Marks as suspects the pages that were in flight when the lease expired or its process died. */
export async function suspectIndexPages(
  trx: Kysely<Schema>,
  { datasetId, pack, inFlight }: { datasetId: DatasetId; pack: string; inFlight: string },
): Promise<void> {
  if (inFlight === "") return;
  const pages = new Set(inFlight.split(",").map(Number));
  await trx
    .insertInto("indexPages")
    .values([...pages].map((page) => ({ datasetId, pack, page, embeddedAt: null, failure: null, isSuspect: 1 })))
    .onConflict((conflict) => conflict.columns(["datasetId", "pack", "page"]).doUpdateSet({ isSuspect: 1 }))
    .execute();
}
