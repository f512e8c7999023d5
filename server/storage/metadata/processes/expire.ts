import type { Kysely } from "kysely";
import { hasEnded } from "../../../domain/processes.ts";
import { suspectIndexPages } from "../indices/claim-index.ts";
import { suspectPages } from "../queue/claim.ts";
import { unheld } from "../queue/claims.ts";
import { theIndex } from "../indices/index-rows.ts";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";

/** Ends the job leases and leader leases of processes of this host that died without releasing them. */
export async function expireDead(db: Kysely<Schema>): Promise<void> {
  const owners = await db
    .selectFrom("jobs")
    .select("leaseOwner")
    .where("finishedAt", "is", null)
    // This matches the condition of the partial index of running jobs, so that SQLite uses the index.
    .where("leaseUntil", "is not", null)
    .where("leaseOwner", "is not", null)
    .union(db.selectFrom("indices").select("leaseOwner").where("leaseOwner", "is not", null))
    .union(db.selectFrom("duties").select("holder as leaseOwner").where("holder", "is not", null))
    .execute();
  for (const { leaseOwner } of owners) {
    if (leaseOwner === null || !hasEnded(leaseOwner)) continue;
    await expireJobs(db, leaseOwner);
    await expireIndices(db, leaseOwner);
    await db.updateTable("duties").set({ holder: null }).where("holder", "=", leaseOwner).execute();
  }
}

/** Ends an owner's leases on jobs; their pages in flight become suspects. */
export function expireJobs(db: Kysely<Schema>, owner: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    const held = await trx
      .selectFrom("jobs")
      .select(["id", "inFlight"])
      .where("finishedAt", "is", null)
      .where("leaseUntil", "is not", null)
      .where("leaseOwner", "=", owner)
      .forUpdate()
      .execute();
    for (const job of held) {
      await suspectPages(trx, job);
      await trx.updateTable("jobs").set(unheld).where("id", "=", job.id).execute();
    }
  });
}

/** Ends an owner's leases on indices; their pages in flight become suspects. */
export function expireIndices(db: Kysely<Schema>, owner: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    const held = await trx
      .selectFrom("indices")
      .select(["datasetId", "pack", "inFlight"])
      .where("leaseOwner", "=", owner)
      .forUpdate()
      .execute();
    for (const row of held) {
      await suspectIndexPages(trx, row);
      await trx.updateTable("indices").set(unheld).where(theIndex(row)).execute();
    }
  });
}
