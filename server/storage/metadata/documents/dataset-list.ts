import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type SelectQueryBuilder,
  sql,
  type SqlBool,
} from "kysely";
import { datasetTypes, type Dataset, type DatasetType } from "../../../domain/datasets/dataset.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import type { DatasetIdQuery, DatasetQuery, DatasetSort } from "../../../domain/ports/datasets.ts";
import type { ListResult, SortKey } from "../../../domain/ports/list.ts";
import type { Schema } from "../schema.ts";
import { batches } from "../batches.ts";
import { inOrder, type Range, sliceOf } from "../slices.ts";
import { countByName } from "../tenants/tallies.ts";
import { leads, passes } from "./metadata-filter.ts";
import { toDataset } from "./metadata-rows.ts";

export function unexpired(now: number): (builder: ExpressionBuilder<Schema, "datasets">) => Expression<SqlBool> {
  return ({ eb, or }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", now)]);
}

/** What `DatasetStore.list` does. Indices have the datasets of each type in the order of each sort; few types are merged. */
export async function listDatasets(db: Kysely<Schema>, query: DatasetQuery): Promise<ListResult<Dataset>> {
  const { workspaceId, types, sha256, filter, offset, limit, now } = query;
  if (sha256.length > 0 || filter !== undefined) return listFound(db, query);
  const known = await countByName(db, workspaceId, "datasets");
  const wanted = datasetTypes.filter((type) => known.has(type) && (types.length === 0 || types.includes(type)));
  if (wanted.length === 0) return { total: 0, data: [] };
  const expired = await countExpired(db, query, wanted);
  const total = wanted.reduce((sum, type) => sum + (known.get(type) ?? 0), -expired);
  const keys = sortKeys(query);
  const ranges = wanted.map((type): Range<"datasets", DatasetId> =>
    db
      .selectFrom("datasets")
      .select(["id", ...keys.map(({ property }) => property).filter((property) => property !== "id")])
      .where("workspaceId", "=", workspaceId)
      .where("type", "=", type)
      .$if(expired > 0, (range) => range.where(unexpired(now))),
  );
  const columns = keys.map(({ property, descending }) => ({
    column: property,
    descending,
    isNullable: isNullable(property),
  }));
  const ids = await sliceOf(db, ranges, columns, { total, offset, limit });
  if (ids.length === 0) return { total, data: [] };
  const rows = await db.selectFrom("datasets").selectAll().where("id", "in", ids).execute();
  return { total: Math.max(total, offset + ids.length), data: inOrder(ids, rows, ({ id }) => id).map(toDataset) };
}

function sortKeys({ sort }: DatasetQuery): readonly SortKey<DatasetSort | "id">[] {
  return [...sort, { property: "id", descending: sort[0]?.descending ?? false }];
}

const isNullable = (property: DatasetSort | "id"): boolean => property === "updatedAt" || property === "expiresAt";

/** Those that the worker has not deleted yet: it looks twice a second. */
async function countExpired(
  db: Kysely<Schema>,
  { workspaceId, now }: DatasetQuery,
  types: readonly DatasetType[],
): Promise<number> {
  const { expired } = await db
    .selectFrom("datasets")
    .select(({ fn }) => fn.countAll<number | string>().as("expired"))
    .where("workspaceId", "=", workspaceId)
    .where("type", "in", types)
    .where("expiresAt", "<=", now)
    .executeTakeFirstOrThrow();
  return Number(expired);
}

/** What is found by content or by a filter is sorted when all of it is found: one pass tells how much that is. */
async function listFound(db: Kysely<Schema>, query: DatasetQuery): Promise<ListResult<Dataset>> {
  const { offset, limit } = query;
  let page = found(db, query).select(({ fn }) => ["id" as const, fn.countAll<number | string>().over().as("total")]);
  for (const { property, descending } of sortKeys(query)) {
    page = page.orderBy(sql.ref(property), (order) => (descending ? order.desc() : order.asc()).nullsLast());
  }
  const ids = await page.offset(offset).limit(limit).execute();
  const [first] = ids;
  if (first === undefined) return { total: offset === 0 ? 0 : await countFound(db, query), data: [] };
  const rows = await db
    .selectFrom("datasets")
    .selectAll()
    .where(
      "id",
      "in",
      ids.map(({ id }) => id),
    )
    .execute();
  const data = inOrder(
    ids.map(({ id }) => id),
    rows,
    ({ id }) => id,
  );
  return { total: Number(first.total), data: data.map(toDataset) };
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
    now,
  }: Pick<DatasetQuery, "workspaceId" | "types" | "sha256" | "filter" | "now">,
): SelectQueryBuilder<Schema, "datasets", object> {
  // Where values lead to the datasets, each is looked up by its id: no index of the workspace is to be gone through for that.
  const isLed = sha256.length === 0 && filter !== undefined && leads(filter);
  const ofWorkspace = isLed
    ? sql<boolean>`"datasets"."workspaceId" || '' = ${workspaceId}`
    : sql<boolean>`"datasets"."workspaceId" = ${workspaceId}`;
  let rows = db.selectFrom("datasets").where(ofWorkspace).where("type", "<>", "pending").where(unexpired(now));
  if (sha256.length > 0) rows = rows.where("sha256", "in", sha256);
  if (types.length > 0) rows = rows.where("type", "in", types);
  return filter === undefined ? rows : rows.where(passes(workspaceId, filter));
}

/** What `DatasetStore.ids` does. */
export async function listIds(
  db: Kysely<Schema>,
  { workspaceId, filter, among, limit, now }: DatasetIdQuery,
): Promise<readonly DatasetId[]> {
  const query = found(db, { workspaceId, types: [], sha256: [], filter, now }).select("id");
  if (among === undefined) return (await query.limit(limit).execute()).map(({ id }) => id);
  const ids: DatasetId[] = [];
  for (const batch of batches(new Set(among))) {
    for (const { id } of await query.where("id", "in", batch).execute()) ids.push(id);
  }
  return ids.slice(0, limit);
}
