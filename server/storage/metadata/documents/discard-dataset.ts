import type { Kysely, Selectable } from "kysely";
import { convertedKey, originalKey } from "../../../domain/datasets/dataset.ts";
import type { Garbage } from "../../../domain/ports/garbage.ts";
import { rowsOf, workerStopsWithinMs } from "../indices/generations.ts";
import type { Schema } from "../schema.ts";
import type { DatasetTable } from "../tables/datasets.ts";
import { enterGarbage } from "./garbage.ts";

/** Removes the row of a locked dataset whose jobs have ended, and puts what belonged to it on the garbage list. */
export async function discardDataset(
  trx: Kysely<Schema>,
  dataset: Pick<Selectable<DatasetTable>, "id" | "originalKey" | "convertedKey">,
  now: number,
): Promise<void> {
  const { id } = dataset;
  // A claim that is still at work writes under keys of its own, which are on the list already.
  const documents: Garbage[] = [
    { kind: "blob", key: originalKey(dataset) },
    { kind: "blob", key: convertedKey(dataset) },
  ];
  await enterGarbage(trx, documents, now);
  // Workers that have not noticed the removal yet may still be writing these.
  const indices = await trx
    .deleteFrom("indices")
    .where("datasetId", "=", id)
    .returning(["datasetId", "workspaceId", "pack", "generation"])
    .execute();
  const ofAnyone: Garbage[] = [{ kind: "renditions", key: id }, { kind: "vectors", key: id }, ...indices.map(rowsOf)];
  await enterGarbage(trx, ofAnyone, now + workerStopsWithinMs);
  // Nothing finds the pages of a dataset that is gone: they are removed in steps.
  await enterGarbage(trx, [{ kind: "rows", key: id }], now);
  await trx.deleteFrom("fetches").where("datasetId", "=", id).execute();
  await trx.deleteFrom("datasets").where("id", "=", id).execute();
}
