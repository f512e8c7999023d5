import { sql, type Kysely } from "kysely";
import type { Dataset } from "../../../domain/datasets/dataset.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import type { Job } from "../../../domain/jobs/job.ts";
import { insertJob } from "../queue/job-rows.ts";
import type { Schema } from "../schema.ts";
import { putValues, toDatasetRow } from "./metadata-rows.ts";

/** Enters a dataset and the job that fills it; call it in a transaction. */
export async function insertDataset(trx: Kysely<Schema>, dataset: Dataset, job: Job): Promise<void> {
  await trx.insertInto("datasets").values(toDatasetRow(dataset)).execute();
  await putValues(trx, dataset);
  await insertJob(trx, job).execute();
}

/**
 * Waits for the transactions that rely on what belongs to the dataset (its jobs, its index, its being there), and keeps
 * others waiting until this one ends. False if the dataset is gone.
 */
export async function lockDataset(trx: Kysely<Schema>, id: DatasetId): Promise<boolean> {
  const row = await trx.selectFrom("datasets").select("id").where("id", "=", id).forUpdate().executeTakeFirst();
  return row !== undefined;
}

/** Pages and what belongs to them outlive their dataset until they are removed, and are not to be found meanwhile. */
export const isDatasetThere = sql<boolean>`exists (select 1 from "datasets" where "datasets"."id" = "datasetId")`;
