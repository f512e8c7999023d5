import type { Kysely } from "kysely";
import type { DatasetId, WorkspaceId } from "../../domain/ids.ts";
import type { ClaimedIndex } from "../../domain/ports/packs.ts";
import type { Schema } from "./schema.ts";

/**
 * Takes the next dataset that is to change to the pack in use; call it in a transaction. Workspaces take turns: the one
 * that was served longest ago comes first.
 */
export async function claimIndex(
  trx: Kysely<Schema>,
  owner: string,
  now: number,
  leaseUntil: number,
): Promise<ClaimedIndex | undefined> {
  const inUse = await trx.selectFrom("packs").select("id").where("isInUse", "=", 1).executeTakeFirst();
  if (inUse === undefined) return undefined;
  const pack = inUse.id;
  for (const workspaceId of await workspacesInTurn(trx)) {
    const datasetId = await nextDataset(trx, workspaceId, pack, now);
    if (datasetId === undefined) continue;
    await trx.updateTable("workspaces").set({ reindexedAt: now }).where("id", "=", workspaceId).execute();
    return take(trx, { datasetId, pack, owner }, workspaceId, leaseUntil);
  }
  return undefined;
}

/** Those with datasets that are served from other packs. */
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

async function nextDataset(
  trx: Kysely<Schema>,
  workspaceId: WorkspaceId,
  pack: string,
  now: number,
): Promise<DatasetId | undefined> {
  const found = await trx
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
    .where(({ eb, or }) => or([eb("next.leaseOwner", "is", null), eb("next.leaseUntil", "<=", now)]))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("jobs")
            .select("jobs.id")
            .whereRef("jobs.datasetId", "=", "served.datasetId")
            .where("jobs.finishedAt", "is", null),
        ),
      ),
    )
    .limit(1)
    .executeTakeFirst();
  return found?.datasetId;
}

async function take(
  trx: Kysely<Schema>,
  lease: ClaimedIndex["lease"],
  workspaceId: WorkspaceId,
  leaseUntil: number,
): Promise<ClaimedIndex> {
  const { datasetId, pack, owner } = lease;
  const before = await trx
    .selectFrom("indices")
    .select("inFlight")
    .where("datasetId", "=", datasetId)
    .where("pack", "=", pack)
    .executeTakeFirst();
  if (before !== undefined) await countIndexCrashes(trx, { datasetId, pack, inFlight: before.inFlight });
  const held = { role: "making", removeAt: null, leaseOwner: owner, leaseUntil, inFlight: "" } as const;
  await trx
    .insertInto("indices")
    .values({ datasetId, pack, workspaceId, failure: null, ...held })
    .onConflict((conflict) => conflict.columns(["datasetId", "pack"]).doUpdateSet(held))
    .execute();
  const crashes = await trx
    .selectFrom("indexPages")
    .select(["page", "crashes"])
    .where("datasetId", "=", datasetId)
    .where("pack", "=", pack)
    .where("crashes", ">", 0)
    .orderBy("page")
    .execute();
  return { lease, workspaceId, crashes };
}

/** Blames the pages that were in flight for the death of the worker that held the index. */
export async function countIndexCrashes(
  trx: Kysely<Schema>,
  { datasetId, pack, inFlight }: { datasetId: DatasetId; pack: string; inFlight: string },
): Promise<void> {
  if (inFlight === "") return;
  const pages = new Set(inFlight.split(",").map(Number));
  await trx
    .insertInto("indexPages")
    .values([...pages].map((page) => ({ datasetId, pack, page, embeddedAt: null, failure: null, crashes: 1 })))
    .onConflict((conflict) =>
      conflict.columns(["datasetId", "pack", "page"]).doUpdateSet(({ eb }) => ({
        crashes: eb("indexPages.crashes", "+", 1),
      })),
    )
    .execute();
}
