import { sql, type Kysely } from "kysely";
import type { Dataset } from "../../../domain/datasets/dataset.ts";
import type { Job } from "../../../domain/jobs/job.ts";
import { insertJob } from "../queue/job-rows.ts";
import type { Schema } from "../schema.ts";

/** Enters a dataset and the job that fills it; call it in a transaction. */
export async function insertDataset(trx: Kysely<Schema>, dataset: Dataset, job: Job): Promise<void> {
  await trx.insertInto("datasets").values(dataset).execute();
  await insertJob(trx, job).execute();
}

/** Pages and what belongs to them outlive their dataset until they are removed, and are not to be found meanwhile. */
export const isDatasetThere = sql<boolean>`exists (select 1 from "datasets" where "datasets"."id" = "datasetId")`;
