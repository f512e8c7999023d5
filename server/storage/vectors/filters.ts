import { type DatasetId, parseDatasetId } from "../../domain/ids.ts";
import type { PageKey, SearchedPages, SpaceRef } from "../../domain/ports/vectors.ts";
import { rememberParsed, rememberTexts } from "../../domain/page-map.ts";

/** The format of ids in drs. Filters are texts, so they must not contain anything else. */
const idText = /^[a-z]+_[0-9a-z]{26}$/;
/** The format of a generation. */
const generationText = /^[0-9a-z]{0,32}$/;

/** Returns a filter for the rows of a table that a search may see; undefined for all rows. */
export function scopeFilter({ datasetIds, without = [] }: SearchedPages): string | undefined {
  const conditions: string[] = [];
  if (datasetIds !== undefined) conditions.push(`datasetId IN (${datasetIds.map(quote).join(", ")})`);
  if (without.length > 0) conditions.push(`datasetId NOT IN (${without.map(quote).join(", ")})`);
  return conditions.length === 0 ? undefined : conditions.join(" AND ");
}

export const datasetFilter = (datasetId: DatasetId): string => `datasetId = ${quote(datasetId)}`;

/** Returns a filter for the dataset's rows of one generation. */
export function generationFilter(datasetId: DatasetId, generation: string): string {
  // A generation contains no wildcards of LIKE.
  const ofGeneration = generation === "" ? "id NOT LIKE '%@%'" : `id LIKE '%@${checkGeneration(generation)}'`;
  return `${datasetFilter(datasetId)} AND ${ofGeneration}`;
}

/**
 * Returns the id of a page's row: `DATASET/PAGE@GENERATION`, or `DATASET/PAGE` for the empty generation, which is the
 * format from before there were generations. Throws `TypeError` on values that cannot be in an id.
 */
export const pageId: (page: PageKey) => string = rememberTexts((page: PageKey) => idOf(page, ""));

/**
 * Returns the id of a document's row: `DATASET/dROW@GENERATION`, with the number from `documentRows` instead of the
 * page.
 */
export const documentId = (row: PageKey): string => idOf(row, "d");

function idOf({ datasetId, page, generation }: PageKey, prefix: "" | "d"): string {
  const ofDataset = `${checkId(datasetId)}/${prefix}${wholeNumber(page)}`;
  return generation === "" ? ofDataset : `${ofDataset}@${checkGeneration(generation)}`;
}

/** Returns the function that makes row ids in the space, for pages or for documents. */
export const rowIdIn = (space: SpaceRef): ((row: PageKey) => string) =>
  space.kind === "lexical" && space.unit === "document" ? documentId : pageId;

const rowIdText = /^(?<dataset>[^/]+)\/d?(?<page>\d+)(?:@(?<generation>[0-9a-z]+))?$/;

/** Parses an id of `pageId` or `documentId`; undefined if the text is neither. */
export function readRowId(id: string): PageKey | undefined {
  const { dataset, page, generation = "" } = rowIdText.exec(id)?.groups ?? {};
  const datasetId = dataset === undefined ? undefined : parseDatasetId(dataset);
  return datasetId === undefined ? undefined : { datasetId, page: Number(page), generation };
}

/** `readRowId` with a cache, for ids that are parsed repeatedly. */
export const parsePageId: (id: string) => PageKey | undefined = rememberParsed(readRowId);

/** Adds the filter, if there is one, to the query. */
export const filtered = <Query extends { where(filter: string): Query }>(
  query: Query,
  filter: string | undefined,
): Query => (filter === undefined ? query : query.where(filter));

/** Returns a filter for rows by their ids. */
export const rowsFilter = (ids: readonly string[]): string => `id IN (${ids.map((id) => `'${id}'`).join(", ")})`;

const quote = (id: DatasetId): string => `'${checkId(id)}'`;

function checkId(id: DatasetId): string {
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
