import { type DatasetId, parseDatasetId, type WorkspaceId } from "../../domain/ids.ts";
import type { PageKey, SearchScope } from "../../domain/ports/vectors.ts";
import { rememberParsed, rememberTexts } from "../../domain/row-texts.ts";

/** What an id of drs looks like. Filters are texts, so nothing else may get into one. */
const idText = /^[a-z]+_[0-9a-z]{26}$/;
/** What a generation's token looks like. */
const generationText = /^[0-9a-z]{0,32}$/;

/** The rows that a search may see. */
export const scopeFilter = (scope: SearchScope): string =>
  [`workspaceId = ${quote(scope.workspaceId)}`, ...datasetConditions(scope)].join(" AND ");

/** The same in a table that has no rows of other workspaces; undefined: all of them. */
export function filterWithin(scope: SearchScope): string | undefined {
  const conditions = datasetConditions(scope);
  return conditions.length === 0 ? undefined : conditions.join(" AND ");
}

function datasetConditions({ datasetIds, without = [] }: SearchScope): string[] {
  const conditions: string[] = [];
  if (datasetIds !== undefined) conditions.push(`datasetId IN (${datasetIds.map(quote).join(", ")})`);
  if (without.length > 0) conditions.push(`datasetId NOT IN (${without.map(quote).join(", ")})`);
  return conditions;
}

export const datasetsFilter = (datasetIds: readonly DatasetId[]): string =>
  `datasetId IN (${datasetIds.map(quote).join(", ")})`;

export const datasetFilter = (datasetId: DatasetId): string => `datasetId = ${quote(datasetId)}`;

/** The dataset's rows of one generation. */
export function generationFilter(datasetId: DatasetId, generation: string): string {
  // A token has no sign that means something to LIKE.
  const ofGeneration = generation === "" ? "id NOT LIKE '%@%'" : `id LIKE '%@${checkGeneration(generation)}'`;
  return `${datasetFilter(datasetId)} AND ${ofGeneration}`;
}

/**
 * What names a row, in tables of every kind: `DATASET/PAGE@GENERATION`; without the last part for rows of the empty
 * generation, as all rows were named before there were others. Throws `TypeError` on what cannot be in an id.
 */
export const rowId: (page: PageKey) => string = rememberTexts(({ datasetId, page, generation }: PageKey) => {
  const ofDataset = `${checkId(datasetId)}/${wholeNumber(page)}`;
  return generation === "" ? ofDataset : `${ofDataset}@${checkGeneration(generation)}`;
});

const rowIdText = /^(?<dataset>[^/]+)\/(?<page>\d+)(?:@(?<generation>[0-9a-z]+))?$/;

/** The page that `rowId` was given; undefined if the text is none of its. */
export function readRowId(id: string): PageKey | undefined {
  const { dataset, page, generation = "" } = rowIdText.exec(id)?.groups ?? {};
  const datasetId = dataset === undefined ? undefined : parseDatasetId(dataset);
  return datasetId === undefined ? undefined : { datasetId, page: Number(page), generation };
}

/** The same of ids that are met again and again. */
export const parseRowId: (id: string) => PageKey | undefined = rememberParsed(readRowId);

export const rowsFilter = (rows: readonly PageKey[]): string =>
  `id IN (${rows.map((row) => `'${rowId(row)}'`).join(", ")})`;

/** These rows, as far as they are the workspace's. */
export const rowsInFilter = (workspaceId: WorkspaceId, rows: readonly PageKey[]): string =>
  `workspaceId = ${quote(workspaceId)} AND ${rowsFilter(rows)}`;

const quote = (id: DatasetId | WorkspaceId): string => `'${checkId(id)}'`;

function checkId(id: DatasetId | WorkspaceId): string {
  if (!idText.test(id)) throw new TypeError(`not an id: ${JSON.stringify(id)}`);
  return id;
}

function checkGeneration(generation: string): string {
  if (!generationText.test(generation)) throw new TypeError(`not a generation: ${JSON.stringify(generation)}`);
  return generation;
}

function wholeNumber(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError(`not a page number: ${value}`);
  return String(value);
}
