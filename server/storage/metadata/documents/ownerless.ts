import type { Kysely } from "kysely";
import { convertedKey, originalKey } from "../../../domain/datasets/dataset.ts";
import { parseDatasetId } from "../../../domain/ids.ts";
import { batches } from "../batches.ts";
import type { Schema } from "../schema.ts";

/** What `GarbageStore.ownerless` does. In one transaction, since a blob leaves the list in the one that enters its owner. */
export async function ownerless(trx: Kysely<Schema>, keys: readonly string[]): Promise<readonly string[]> {
  const left = new Set(keys);
  for (const batch of batches(keys)) {
    const owned = [
      await trx.selectFrom("garbage").select("key").where("kind", "=", "blob").where("key", "in", batch).execute(),
      await trx.selectFrom("renditions").select("key").where("key", "in", batch).execute(),
      await trx
        .selectFrom("features")
        .innerJoin("indices", (join) =>
          join
            .onRef("indices.datasetId", "=", "features.datasetId")
            .onRef("indices.generation", "=", "features.generation"),
        )
        .select("key")
        .where("key", "in", batch)
        .execute(),
      await trx.selectFrom("uploadParts").select("blobKey as key").where("blobKey", "in", batch).execute(),
    ];
    for (const { key } of owned.flat()) left.delete(key);
  }
  const ids = new Set(
    [...left].flatMap((key) => parseDatasetId(/^(?:originals|converted)\/([^./]+)/.exec(key)?.[1] ?? "") ?? []),
  );
  for (const batch of batches(ids)) {
    const datasets = await trx
      .selectFrom("datasets")
      .select(["id", "originalKey", "convertedKey"])
      .where("id", "in", batch)
      .execute();
    for (const dataset of datasets) {
      left.delete(originalKey(dataset));
      left.delete(convertedKey(dataset));
    }
  }
  return [...left];
}
