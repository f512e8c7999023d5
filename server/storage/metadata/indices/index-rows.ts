import type { ExpressionBuilder, Kysely } from "kysely";
import type { DatasetId } from "../../../domain/ids.ts";
import type { IndexLease, RebuildKind } from "../../../domain/ports/packs.ts";
import type { Schema } from "../schema.ts";
import type { Garbage } from "../../../domain/ports/garbage.ts";
import type { TableOf } from "../../../domain/ports/index-tables.ts";
import { newToken } from "../queue/claims.ts";
import { enterGarbage } from "../documents/garbage.ts";

/**
 * Returns whether the lease holds. If so, it cannot be lost before the transaction ends, because its row is written.
 */
export async function holdIndex(trx: Kysely<Schema>, lease: IndexLease): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable("indices")
    .set({ claimToken: lease.token })
    .where(heldIndex(lease))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** Selects the index of the lease, as long as the lease holds. */
export function heldIndex({ token, ...index }: IndexLease) {
  return (builder: ExpressionBuilder<Schema, "indices">) =>
    builder.and([theIndex(index)(builder), builder("claimToken", "=", token)]);
}

/** Marks an index for a rebuild. If a complete rebuild is due already, it remains due. */
export const toRebuild =
  (how: RebuildKind) =>
  ({ eb, val }: ExpressionBuilder<Schema, "indices">) => ({
    rebuild: eb
      .case()
      .when("rebuild", "=", "all")
      .then(val("all" as const))
      .else(how)
      .end(),
    // The claim ends, because its work may have passed the pages that are missing now. Its pages in flight stay
    // suspects.
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

/** Returns the suspect pages of an index, ascending. */
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

/** Removes the marks of an index's pages, which exist only while the index is being made. */
export async function forgetMarks(
  trx: Kysely<Schema>,
  { datasetId, pack }: Pick<IndexLease, "datasetId" | "pack">,
): Promise<void> {
  await trx.deleteFrom("indexPages").where("datasetId", "=", datasetId).where("pack", "=", pack).execute();
}

/**
 * Maximum time for which a worker may write after it has lost its claim, ms; in fact it stops within two seconds.
 * Garbage is removed later than that, so that late writes are removed with it.
 */
export const workerStopsWithinMs = 5_000;

/** Returns a name for the rows of one index: half a token is just as unlikely to repeat, and shorter in every row. */
export const newGeneration = (): string => newToken().slice(0, 12);

interface Generation extends TableOf {
  readonly datasetId: DatasetId;
  readonly generation: string;
}

/** Returns the rows of a generation as garbage. */
export const rowsOf = ({ datasetId, generation, workspaceId, pack }: Generation): Garbage => ({
  kind: "vectors",
  key: datasetId,
  generation,
  table: { workspaceId, pack },
});

/** Turns the rows and the features of generations into garbage. None of the generations may be used again. */
export async function retire(trx: Kysely<Schema>, generations: readonly Generation[], now: number): Promise<void> {
  await enterGarbage(trx, generations.map(rowsOf), now + workerStopsWithinMs);
  for (const { datasetId, generation } of generations) {
    await trx.deleteFrom("features").where("datasetId", "=", datasetId).where("generation", "=", generation).execute();
  }
}

/** Removes the indices of a dataset; their rows become garbage. */
export async function removeIndices(trx: Kysely<Schema>, datasetId: DatasetId, now: number): Promise<void> {
  const removed = await trx
    .deleteFrom("indices")
    .where("datasetId", "=", datasetId)
    .returning(["datasetId", "workspaceId", "pack", "generation"])
    .execute();
  await trx.deleteFrom("indexPages").where("datasetId", "=", datasetId).execute();
  await retire(trx, removed, now);
}

/**
 * Locks the pack in use, so that it is neither replaced nor retired before the transaction ends. Returns undefined if
 * no pack is in use. With `alone`, the lock is exclusive.
 */
export async function lockPackInUse(
  trx: Kysely<Schema>,
  { alone }: { readonly alone: boolean },
): Promise<string | undefined> {
  const inUse = trx.selectFrom("packs").select("id").where("isInUse", "=", 1);
  for (;;) {
    const locked = await (alone ? inUse.forUpdate() : inUse.forShare()).executeTakeFirst();
    if (locked !== undefined) return locked.id;
    // The pack was replaced while this transaction waited for the lock; another statement finds the new one.
    if ((await inUse.executeTakeFirst()) === undefined) return undefined;
  }
}
