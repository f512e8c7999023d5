import type { DatasetId, WorkspaceId } from "../../domain/ids.ts";
import type { SearchScope } from "../../domain/ports/vectors.ts";

/** What an id of drs looks like. Filters are texts, so nothing else may get into one. */
const idText = /^[a-z]+_[0-9a-z]{26}$/;

/** The rows that a search may see. */
export function scopeFilter({ workspaceId, datasetIds }: SearchScope): string {
  const workspace = `workspaceId = ${quote(workspaceId)}`;
  if (datasetIds === undefined) return workspace;
  return `${workspace} AND datasetId IN (${datasetIds.map(quote).join(", ")})`;
}

export const datasetFilter = (datasetId: DatasetId): string => `datasetId = ${quote(datasetId)}`;

export function pageFilter(datasetId: DatasetId, pages: readonly number[]): string {
  return `${datasetFilter(datasetId)} AND page IN (${pages.map(wholeNumber).join(", ")})`;
}

/** Rows of the pages beyond the parts that they have now. */
export function stalePartsFilter(datasetId: DatasetId, pages: readonly number[], parts: number): string {
  return `(${pageFilter(datasetId, pages)} AND part >= ${wholeNumber(parts)})`;
}

function quote(id: DatasetId | WorkspaceId): string {
  if (!idText.test(id)) throw new TypeError(`not an id: ${JSON.stringify(id)}`);
  return `'${id}'`;
}

function wholeNumber(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError(`not a page or part number: ${value}`);
  return String(value);
}
