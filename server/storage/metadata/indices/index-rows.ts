import type { ExpressionBuilder, Kysely } from "kysely";
import type { DatasetId } from "../../../domain/ids.ts";
import type { IndexLease, RebuildKind } from "../../../domain/ports/packs.ts";
import type { Schema } from "../schema.ts";

/** True if the lease holds; it then cannot be lost before the transaction ends, because its row is written. */
export async function holdIndex(trx: Kysely<Schema>, lease: IndexLease): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("indices")
    .set({ claimToken: lease.token })
    .where(heldIndex(lease))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** The index of the lease, as long as it holds. */
export function heldIndex({ token, ...index }: IndexLease) {
  return (builder: ExpressionBuilder<Schema, "indices">) =>
    builder.and([theIndex(index)(builder), builder("claimToken", "=", token)]);
}

/**
 * Enters an index to be filled again. What is to be made again altogether is not made less, and what an earlier version has not kept
 * is still made of its index.
 */
export const toRebuild =
  (how: RebuildKind | "features") =>
  ({ eb, val }: ExpressionBuilder<Schema, "indices">) => ({
    rebuild: eb
      .case()
      .when("rebuild", "=", "all")
      .then(val("all" as const))
      .when("rebuild", "=", "features")
      .then(val(how === "missing" ? ("features" as const) : how))
      .else(how)
      .end(),
    // Work on it that has begun may have passed what is missing now; its pages in flight stay suspects.
    leaseOwner: null,
    claimToken: null,
    leaseUntil: null,
    retryAt: null,
    tries: 0,
  });

export function theIndex({ datasetId, pack }: Pick<IndexLease, "datasetId" | "pack">) {
  return ({ and, eb }: ExpressionBuilder<Schema, "indices">) =>
    and([eb("datasetId", "=", datasetId), eb("pack", "=", pack)]);
}

/** Pages that an index's claims have left in flight, ascending. */
export async function suspectsOf(trx: Kysely<Schema>, datasetId: DatasetId, pack: string): Promise<readonly number[]> {
  const rows = await trx
    .selectFrom("indexPages")
    .select("page")
    .where("datasetId", "=", datasetId)
    .where("pack", "=", pack)
    .where("isSuspect", "=", 1)
    .orderBy("page")
    .execute();
  return rows.map(({ page }) => page);
}

/** Removes what is kept of an index's pages while it is made. */
export async function forgetMarks(
  trx: Kysely<Schema>,
  { datasetId, pack }: Pick<IndexLease, "datasetId" | "pack">,
): Promise<void> {
  await trx.deleteFrom("indexPages").where("datasetId", "=", datasetId).where("pack", "=", pack).execute();
}
