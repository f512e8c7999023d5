import type { Expression, ExpressionBuilder, Kysely, SqlBool } from "kysely";
import { datasetTypes, type DatasetType } from "../../../domain/datasets/dataset.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import type { DatasetQuery, DatasetSort } from "../../../domain/ports/datasets.ts";
import type { SortKey } from "../../../domain/ports/list.ts";
import type { Schema } from "../schema.ts";
import { type Range, sliceOf } from "../slices.ts";
import { countByName } from "../tenants/tallies.ts";

export function unexpired(now: number): (builder: ExpressionBuilder<Schema, "datasets">) => Expression<SqlBool> {
  return ({ eb, or }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", now)]);
}

/** The datasets of some types in the order of a list. */
export interface DatasetOrder {
  readonly total: number;
  ids(offset: number, limit: number): Promise<readonly DatasetId[]>;
}

/** Indices have the datasets of each type in the order of each sort; few types are merged. */
export async function datasetsInOrder(
  db: Kysely<Schema>,
  query: Pick<DatasetQuery, "workspaceId" | "types" | "sort" | "now">,
): Promise<DatasetOrder> {
  const { workspaceId, types, now } = query;
  const known = await countByName(db, workspaceId, "datasets");
  const wanted = datasetTypes.filter((type) => known.has(type) && (types.length === 0 || types.includes(type)));
  if (wanted.length === 0) return { total: 0, ids: async () => [] };
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
  return { total, ids: (offset, limit) => sliceOf(db, ranges, columns, { total, offset, limit }) };
}

export function sortKeys({ sort }: Pick<DatasetQuery, "sort">): readonly SortKey<DatasetSort | "id">[] {
  return [...sort, { property: "id", descending: sort[0]?.descending ?? false }];
}

const isNullable = (property: DatasetSort | "id"): boolean => property === "updatedAt" || property === "expiresAt";

/** Those that the worker has not deleted yet: it looks twice a second. */
async function countExpired(
  db: Kysely<Schema>,
  { workspaceId, now }: Pick<DatasetQuery, "workspaceId" | "now">,
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
