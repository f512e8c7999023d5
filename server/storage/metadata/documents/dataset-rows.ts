import { sql, type Kysely, type Insertable, type Selectable } from "kysely";
import type { Dataset } from "../../../domain/datasets/dataset.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import type { Job } from "../../../domain/jobs/job.ts";
import { insertJob } from "../queue/job-rows.ts";
import type { Schema } from "../schema.ts";
import { type DatasetMetadata, isScalar, noMetadata, type Scalar } from "../../../domain/datasets/metadata.ts";
import type { DocumentWarning } from "../../../domain/documents/properties.ts";
import type { DatasetTable, MetadataValueTable } from "../tables/datasets.ts";

/** Inserts a dataset and the job that fills it. Call it in a transaction. */
export async function insertDataset(trx: Kysely<Schema>, dataset: Dataset, job: Job): Promise<void> {
  await trx.insertInto("datasets").values(toDatasetRow(dataset)).execute();
  await putValues(trx, dataset);
  await insertJob(trx, job).execute();
}

/**
 * Locks a dataset: waits for transactions that rely on its existence, its jobs or its index, and makes later ones wait
 * until this transaction ends. Returns false if the dataset is gone.
 */
export async function lockDataset(trx: Kysely<Schema>, id: DatasetId): Promise<boolean> {
  const row = await trx.selectFrom("datasets").select("id").where("id", "=", id).forUpdate().executeTakeFirst();
  return row !== undefined;
}

/**
 * Whether the dataset of a row exists. Pages and rows that belong to them are removed some time after their dataset,
 * and must not be found in the meantime.
 */
export const isDatasetThere = sql<boolean>`exists (select 1 from "datasets" where "datasets"."id" = "datasetId")`;

/** Converts a row to a dataset. */
export function toDataset({
  metadata,
  type,
  warnings,
  isSearchable: _seen,
  ...row
}: Selectable<DatasetTable>): Dataset {
  return {
    ...row,
    type: type === "pending" ? "doc" : type,
    metadata: metadataOf(metadata),
    warnings: warningsOf(warnings),
  };
}

export function toDatasetRow({ metadata, warnings, ...dataset }: Dataset): Insertable<DatasetTable> {
  return {
    ...dataset,
    metadata: JSON.stringify(metadata),
    warnings: warnings === null ? null : JSON.stringify(warnings),
  };
}

/** Parses the warnings in a column, which `DatasetStore` has written. */
export function warningsOf(text: string | null): readonly DocumentWarning[] | null {
  return text === null ? null : JSON.parse(text);
}

/** Parses the metadata in a column, which `DatasetStore` has written. */
export function metadataOf(text: string): DatasetMetadata {
  return text === "{}" ? noMetadata : JSON.parse(text);
}

/** Replaces the values of a dataset's metadata. Call it in a transaction. */
export async function putValues(
  trx: Kysely<Schema>,
  dataset: Pick<Dataset, "id" | "workspaceId" | "metadata">,
): Promise<void> {
  await trx.deleteFrom("metadataValues").where("datasetId", "=", dataset.id).execute();
  const rows = valueRows(dataset);
  if (rows.length > 0) await trx.insertInto("metadataValues").values(rows).execute();
}

function valueRows({
  id,
  workspaceId,
  metadata,
}: Pick<Dataset, "id" | "workspaceId" | "metadata">): Insertable<MetadataValueTable>[] {
  return Object.entries(metadata).flatMap(([field, value]) => {
    const of = { datasetId: id, workspaceId, field };
    if (isScalar(value)) return [{ ...of, place: 0, isList: 0, ...columnsOf(value) }];
    if (value.length === 0) return [{ ...of, place: 0, isList: 1, type: "none", number: 0, text: "" } as const];
    return value.map((one, place) => ({ ...of, place, isList: 1, ...columnsOf(one) }));
  });
}

/** Returns the columns of a value, as in its row and in the index. */
export function columnsOf(value: Scalar): Pick<Insertable<MetadataValueTable>, "type" | "number" | "text"> {
  if (typeof value === "string") return { type: "text", number: 0, text: value };
  if (typeof value === "number") return { type: "number", number: value, text: "" };
  return { type: "truth", number: value ? 1 : 0, text: "" };
}
