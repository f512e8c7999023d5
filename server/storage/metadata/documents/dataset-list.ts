import { type Kysely, type Expression, type SelectQueryBuilder, sql, type SqlBool } from "kysely";
import type { Dataset } from "../../../domain/datasets/dataset.ts";
import type { DatasetQuery, DatasetIdQuery } from "../../../domain/ports/datasets.ts";
import type { ListResult } from "../../../domain/list.ts";
import type { Engine } from "../engine.ts";
import type { Schema } from "../schema.ts";
import { inOrder } from "../slices.ts";
import {
  datasetsInOrder,
  isIndexed,
  sortKeys,
  unexpired,
  type IdPage,
  countOfFormats,
  pageOfFormats,
  pageOfMatching,
  pageOfSearchable,
} from "./dataset-order.ts";
import { toDataset } from "./dataset-rows.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import { batches } from "../batches.ts";
import { countLed, findLead, idsLed, listIdsLed, maxFew } from "./leading-values.ts";
import { leads, passes } from "./metadata-filter.ts";

/** Implements `DatasetStore.list`. */
export async function listDatasets(
  db: Kysely<Schema>,
  engine: Engine,
  query: DatasetQuery,
): Promise<ListResult<Dataset>> {
  const { sha256, filter, fileExts = [], offset } = query;
  const isFound = sha256.length > 0 || filter !== undefined || fileExts.length > 0 || !isIndexed(query);
  const { total, ids } = isFound ? await listFound(db, engine, query) : await pageInOrder(db, query);
  if (ids.length === 0) return { total, data: [] };
  const rows = await db.selectFrom("datasets").selectAll().where("id", "in", ids).execute();
  return { total: Math.max(total, offset + ids.length), data: inOrder(ids, rows, ({ id }) => id).map(toDataset) };
}

async function pageInOrder(db: Kysely<Schema>, query: DatasetQuery): Promise<IdPage> {
  const { total, ids } = await datasetsInOrder(db, query);
  return { total, ids: await ids(query.offset, query.limit) };
}

/** Lists datasets by content, by format, by whether they are searchable, or by a filter. */
async function listFound(db: Kysely<Schema>, engine: Engine, query: DatasetQuery): Promise<IdPage> {
  const { workspaceId, sha256, types, filter, fileExts = [], isSearchable, offset, now } = query;
  if (sha256.length > 0) return sortAll(db, query);
  if (filter === undefined && fileExts.length === 0) return listSearchable(db, query);
  if (types.length > 0 || isSearchable !== undefined) return sortAll(db, query);
  if (filter === undefined) return listOfFormats(db, { ...query, fileExts });
  if (fileExts.length > 0) return sortAll(db, query);
  const lead = await findLead(db, { workspaceId, filter });
  if (lead === undefined) return sortAll(db, query);
  const sortLed = () =>
    sortAll(db, query, engine.isAmong(sql.ref("datasets.id"), idsLed(db, { workspaceId, now }, lead)));
  if (lead.isShort) return sortLed();
  const total = await countLed(db, { workspaceId, now }, lead);
  if (offset >= total) return { total, ids: [] };
  if (total <= maxFew) return sortLed();
  const ids = await pageOfMatching(db, { ...query, filter }, total);
  return ids === undefined ? sortAll(db, query) : { total, ids };
}

async function listOfFormats(
  db: Kysely<Schema>,
  query: DatasetQuery & { readonly fileExts: readonly string[] },
): Promise<IdPage> {
  const total = await countOfFormats(db, query);
  if (query.offset >= total) return { total, ids: [] };
  const ids = await pageOfFormats(db, query, total);
  return ids === undefined ? sortAll(db, query) : { total, ids };
}

/** Lists the searchable datasets, or the others, in an order that no index has. */
async function listSearchable(db: Kysely<Schema>, query: DatasetQuery): Promise<IdPage> {
  const { total } = await datasetsInOrder(db, query);
  if (query.offset >= total) return { total, ids: [] };
  const ids = await pageOfSearchable(db, query, total);
  return ids === undefined ? sortAll(db, query) : { total, ids };
}

type Traits = Pick<DatasetQuery, "fileExts" | "isSearchable">;

/** Sorts all datasets that match; one pass also counts them. */
async function sortAll(db: Kysely<Schema>, query: DatasetQuery, isFound?: Expression<SqlBool>): Promise<IdPage> {
  const { offset, limit } = query;
  let page = found(db, query, isFound).select(({ fn }) => [
    "id" as const,
    fn.countAll<number | string>().over().as("total"),
  ]);
  for (const { property, descending } of sortKeys(query)) {
    page = page.orderBy(sql.ref(property), (order) => (descending ? order.desc() : order.asc()).nullsLast());
  }
  const rows = await page.offset(offset).limit(limit).execute();
  const [first] = rows;
  if (first === undefined) return { total: offset === 0 ? 0 : await countFound(db, query), ids: [] };
  return { total: Number(first.total), ids: rows.map(({ id }) => id) };
}

async function countFound(db: Kysely<Schema>, query: DatasetQuery): Promise<number> {
  const { total } = await found(db, query)
    .select(({ fn }) => fn.countAll<number | string>().as("total"))
    .executeTakeFirstOrThrow();
  return Number(total);
}

function found(
  db: Kysely<Schema>,
  {
    workspaceId,
    types,
    sha256,
    filter,
    fileExts = [],
    isSearchable,
    now,
  }: Pick<DatasetQuery, "workspaceId" | "types" | "sha256" | "filter" | "now"> & Traits,
  isFound?: Expression<SqlBool>,
): SelectQueryBuilder<Schema, "datasets", object> {
  // If values lead to the datasets, each is looked up by its id; the concatenation keeps the database from scanning an
  // index of the workspace.
  const isLed = sha256.length === 0 && filter !== undefined && leads(filter);
  const ofWorkspace = isLed
    ? sql<boolean>`"datasets"."workspaceId" || '' = ${workspaceId}`
    : sql<boolean>`"datasets"."workspaceId" = ${workspaceId}`;
  let rows = db.selectFrom("datasets").where(ofWorkspace).where("type", "<>", "pending").where(unexpired(now));
  if (sha256.length > 0) rows = rows.where("sha256", "in", sha256);
  if (types.length > 0) rows = rows.where("type", "in", types);
  if (fileExts.length > 0) rows = rows.where("fileExt", "in", fileExts);
  if (isSearchable !== undefined) rows = rows.where("isSearchable", "=", Number(isSearchable));
  if (filter === undefined) return rows;
  return rows.where(isFound ?? passes(workspaceId, filter));
}

/** Implements `DatasetStore.ids`. */
export async function listIds(
  db: Kysely<Schema>,
  { workspaceId, filter, fileExts = [], among, limit, now }: DatasetIdQuery,
): Promise<readonly DatasetId[]> {
  const query = found(db, { workspaceId, types: [], sha256: [], filter, fileExts, now }).select("id");
  if (among === undefined) {
    const lead = fileExts.length > 0 ? undefined : filter && (await findLead(db, { workspaceId, filter }));
    if (lead !== undefined) return listIdsLed(db, { workspaceId, now }, lead, limit);
    return (await query.limit(limit).execute()).map(({ id }) => id);
  }
  const ids: DatasetId[] = [];
  for (const batch of batches(new Set(among))) {
    for (const { id } of await query.where("id", "in", batch).execute()) ids.push(id);
  }
  return ids.slice(0, limit);
}
