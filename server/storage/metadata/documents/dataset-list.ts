import { type Expression, type ExpressionBuilder, type Kysely, sql, type SqlBool } from "kysely";
import { datasetTypes, type Dataset, type DatasetType } from "../../../domain/datasets/dataset.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import type { DatasetQuery, DatasetSort } from "../../../domain/ports/datasets.ts";
import type { ListResult, SortKey } from "../../../domain/ports/list.ts";
import type { Schema } from "../schema.ts";
import { inOrder, type Range, sliceOf } from "../slices.ts";
import { countByName } from "../tenants/tallies.ts";

export function unexpired(now: number): (builder: ExpressionBuilder<Schema, "datasets">) => Expression<SqlBool> {
  return ({ eb, or }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", now)]);
}

/** What `DatasetStore.list` does. Indices have the datasets of each type in the order of each sort; few types are merged. */
export async function listDatasets(db: Kysely<Schema>, query: DatasetQuery): Promise<ListResult<Dataset>> {
  const { workspaceId, types, sha256, offset, limit, now } = query;
  if (sha256.length > 0) return listByContent(db, query);
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
  return { total: Math.max(total, offset + ids.length), data: inOrder(ids, rows, ({ id }) => id) };
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

/** Of documents that hold the same, all are read: found first, then sorted. */
async function listByContent(db: Kysely<Schema>, query: DatasetQuery): Promise<ListResult<Dataset>> {
  const { workspaceId, types, sha256, offset, limit, now } = query;
  const found = db.with(
    (cte) => cte("found").materialized(),
    () =>
      db
        .selectFrom("datasets")
        .selectAll()
        .where("workspaceId", "=", workspaceId)
        .where("sha256", "in", sha256)
        .$if(types.length > 0, (matching) => matching.where("type", "in", types))
        .where(unexpired(now)),
  );
  const { total } = await found
    .selectFrom("found")
    .select(({ fn }) => fn.countAll<number | string>().as("total"))
    .executeTakeFirstOrThrow();
  let page = found.selectFrom("found").selectAll();
  for (const { property, descending } of sortKeys(query)) {
    page = page.orderBy(sql.ref(property), (order) => (descending ? order.desc() : order.asc()).nullsLast());
  }
  return { total: Number(total), data: await page.offset(offset).limit(limit).execute() };
}
