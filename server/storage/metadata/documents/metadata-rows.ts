import type { Insertable, Kysely, Selectable } from "kysely";
import type { Dataset } from "../../../domain/datasets/dataset.ts";
import { type DatasetMetadata, isScalar, noMetadata, type Scalar } from "../../../domain/datasets/metadata.ts";
import type { DocumentWarning } from "../../../domain/documents/warning.ts";
import type { Schema } from "../schema.ts";
import type { DatasetTable, MetadataValueTable } from "../tables/datasets.ts";

/** The dataset of a row. */
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

/** The warnings of a column, which `DatasetStore` has written. */
export function warningsOf(text: string | null): readonly DocumentWarning[] | null {
  return text === null ? null : JSON.parse(text);
}

/** The metadata of a column, which `DatasetStore` has written. */
export function metadataOf(text: string): DatasetMetadata {
  return text === "{}" ? noMetadata : JSON.parse(text);
}

/** Writes the values of a dataset's metadata in the place of those it had; call it in a transaction. */
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

/** How a value stands in its row, and in the index. */
export function columnsOf(value: Scalar): Pick<Insertable<MetadataValueTable>, "type" | "number" | "text"> {
  if (typeof value === "string") return { type: "text", number: 0, text: value };
  if (typeof value === "number") return { type: "number", number: value, text: "" };
  return { type: "truth", number: value ? 1 : 0, text: "" };
}
