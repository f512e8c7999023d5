import type { DatasetId, WorkspaceId } from "../../domain/ids.ts";
import type { PageKey, SearchScope } from "../../domain/ports/vectors.ts";

/** What an id of drs looks like. Filters are texts, so nothing else may get into one. */
const idText = /^[a-z]+_[0-9a-z]{26}$/;

/** The rows that a search may see. */
export function scopeFilter({ workspaceId, datasetIds, without = [] }: SearchScope): string {
  const conditions = [`workspaceId = ${quote(workspaceId)}`];
  if (datasetIds !== undefined) conditions.push(`datasetId IN (${datasetIds.map(quote).join(", ")})`);
  if (without.length > 0) conditions.push(`datasetId NOT IN (${without.map(quote).join(", ")})`);
  return conditions.join(" AND ");
}

export const datasetFilter = (datasetId: DatasetId): string => `datasetId = ${quote(datasetId)}`;

export function pageFilter(datasetId: DatasetId, pages: readonly number[]): string {
  return `${datasetFilter(datasetId)} AND page IN (${pages.map(wholeNumber).join(", ")})`;
}

/** What names the row of a page, in tables of every kind. */
export const rowId = ({ datasetId, page }: PageKey): string => `${datasetId}/${page}`;

/** The rows of these pages, as far as they are the workspace's. */
export function pagesFilter(workspaceId: WorkspaceId, pages: readonly PageKey[]): string {
  const ids = pages.map(({ datasetId, page }) => `'${checkId(datasetId)}/${wholeNumber(page)}'`);
  return `workspaceId = ${quote(workspaceId)} AND id IN (${ids.join(", ")})`;
}

const quote = (id: DatasetId | WorkspaceId): string => `'${checkId(id)}'`;

function checkId(id: DatasetId | WorkspaceId): string {
  if (!idText.test(id)) throw new TypeError(`not an id: ${JSON.stringify(id)}`);
  return id;
}

function wholeNumber(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError(`not a page number: ${value}`);
  return String(value);
}
