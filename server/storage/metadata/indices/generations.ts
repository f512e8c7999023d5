import type { Kysely } from "kysely";
import type { DatasetId } from "../../../domain/ids.ts";
import type { Garbage } from "../../../domain/ports/garbage.ts";
import type { TableOf } from "../../../domain/ports/index-tables.ts";
import { newToken } from "../queue/claims.ts";
import { enterGarbage } from "../documents/garbage.ts";
import type { Schema } from "../schema.ts";

/**
 * How long a worker may go on writing after it has lost its claim: it stops within two seconds. The garbage is removed
 * later than that, so that what the worker still writes is removed with it.
 */
export const workerStopsWithinMs = 5_000;

/** Names the rows of one index; half a claim's token is as unlikely to come twice, and shorter in every row. */
export const newGeneration = (): string => newToken().slice(0, 12);

interface Generation extends TableOf {
  readonly datasetId: DatasetId;
  readonly generation: string;
}

/** Its rows, as garbage. */
export const rowsOf = ({ datasetId, generation, workspaceId, pack }: Generation): Garbage => ({
  kind: "vectors",
  key: datasetId,
  generation,
  table: { workspaceId, pack },
});

/** Makes the rows and the features of generations garbage; none of them may ever be used again. */
export async function retire(trx: Kysely<Schema>, generations: readonly Generation[], now: number): Promise<void> {
  await enterGarbage(trx, generations.map(rowsOf), now + workerStopsWithinMs);
  for (const { datasetId, generation } of generations) {
    await trx.deleteFrom("features").where("datasetId", "=", datasetId).where("generation", "=", generation).execute();
  }
}

/** Removes the indices of a dataset; their rows are garbage from now on. */
export async function removeIndices(trx: Kysely<Schema>, datasetId: DatasetId, now: number): Promise<void> {
  const removed = await trx
    .deleteFrom("indices")
    .where("datasetId", "=", datasetId)
    .returning(["datasetId", "workspaceId", "pack", "generation"])
    .execute();
  await trx.deleteFrom("indexPages").where("datasetId", "=", datasetId).execute();
  await retire(trx, removed, now);
}
