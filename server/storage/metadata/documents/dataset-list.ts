import { type Kysely, type Expression, type SelectQueryBuilder, sql, type SqlBool } from "kysely";
import type { Dataset } from "../../../domain/datasets/dataset.ts";
import type { DatasetQuery, DatasetIdQuery } from "../../../domain/ports/datasets.ts";
import type { ListResult } from "../../../domain/list.ts";
import type { Engine } from "../engine.ts";
import type { Schema } from "../schema.ts";
import { inOrder } from "../slices.ts";
import { datasetsInOrder, firstMatching, isIndexed, sortKeys, unexpired } from "./dataset-order.ts";
import { toDataset } from "./dataset-rows.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import { batches } from "../batches.ts";
import { findLead, idsLed, listIdsLed, maxFew } from "./leading-values.ts";
import { leadsOf, passes } from "./metadata-filter.ts";

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

interface IdPage {
  readonly total: number;
  readonly ids: readonly DatasetId[];
}

async function pageInOrder(db: Kysely<Schema>, query: DatasetQuery): Promise<IdPage> {
  const { total, ids } = await datasetsInOrder(db, query);
  return { total, ids: await ids(query.offset, query.limit) };
}

/** Lists datasets by content, format, searchability or a filter: counts the matches, then sorts them. */
async function listFound(db: Kysely<Schema>, engine: Engine, query: DatasetQuery): Promise<IdPage> {
  const { workspaceId, sha256, filter, offset, limit, now } = query;
  const lead = filter && sha256.length === 0 ? await findLead(db, { workspaceId, filter }) : undefined;
  const passing = lead && idsLed(db, { workspaceId, now }, lead);
  const total = await countFound(db, query, passing);
  if (offset >= total) return { total, ids: [] };
  const first = sha256.length > 0 ? undefined : await firstMatching(db, query, total);
  if (first !== undefined) return { total, ids: first };
  const isAmongFew = passing && total <= maxFew ? engine.isAmong(sql.ref("datasets.id"), passing) : undefined;
  let page = found(db, query, isAmongFew).select("id");
  for (const { property, descending } of sortKeys(query)) {
    page = page.orderBy(sql.ref(property), (order) => (descending ? order.desc() : order.asc()).nullsLast());
  }
  return { total, ids: (await page.offset(offset).limit(limit).execute()).map(({ id }) => id) };
}

/** Counts the datasets of a list. `passing` selects those that pass the filter, if values lead to them. */
async function countFound(
  db: Kysely<Schema>,
  query: DatasetQuery,
  passing: ReturnType<typeof idsLed> | undefined,
): Promise<number> {
  const { types, sha256, filter, fileExts = [], isSearchable } = query;
  const hasTally = sha256.length === 0 && filter === undefined && fileExts.length === 0;
  if (hasTally) return (await datasetsInOrder(db, query)).total;
  const isByFilter = types.length === 0 && fileExts.length === 0 && isSearchable === undefined;
  const ids = passing !== undefined && isByFilter ? passing : found(db, query).select("id");
  const { rows } = await sql<{ total: number | string }>`select count(*) as "total" from (${ids}) as "found"`.execute(
    db,
  );
  return Number(rows[0]?.total);
}

type Conditions = Pick<DatasetQuery, "workspaceId" | "filter" | "fileExts" | "now"> &
  Partial<Pick<DatasetQuery, "types" | "sha256" | "isSearchable">>;

function found(
  db: Kysely<Schema>,
  { workspaceId, types = [], sha256 = [], filter, fileExts = [], isSearchable, now }: Conditions,
  isFound?: Expression<SqlBool>,
): SelectQueryBuilder<Schema, "datasets", object> {
  // If values lead to the datasets, each dataset is looked up by its id. The concatenation keeps the database from
  // scanning an index of the workspace instead.
  const isLed = sha256.length === 0 && filter !== undefined && leadsOf(filter).length > 0;
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
  const query = found(db, { workspaceId, filter, fileExts, now }).select("id");
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
