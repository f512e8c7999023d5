import { type Expression, type ExpressionBuilder, type Kysely, type Selectable, sql, type SqlBool } from "kysely";
import { datasetTypes, type DatasetType } from "../../../domain/datasets/dataset.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import type { DatasetQuery, DatasetSort } from "../../../domain/ports/datasets.ts";
import type { SortKey } from "../../../domain/list.ts";
import type { Schema } from "../schema.ts";
import { type Range, rowsOf, sliceOf } from "../slices.ts";
import type { DatasetTable } from "../tables/datasets.ts";
import { countByName } from "../tenants/tallies.ts";
import { matches } from "../../../domain/filters/filter.ts";
import { metadataOf } from "./dataset-rows.ts";

export function unexpired(now: number): (builder: ExpressionBuilder<Schema, "datasets">) => Expression<SqlBool> {
  return ({ eb, or }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", now)]);
}

/** Datasets of certain types in the order of a list. */
interface DatasetOrder {
  readonly total: number;
  ids(offset: number, limit: number): Promise<readonly DatasetId[]>;
  traits(offset: number, limit: number): Promise<readonly DatasetTraits[]>;
}

/** The columns that a list's conditions need, apart from the type. */
type DatasetTraits = Pick<Selectable<DatasetTable>, "id" | "metadata" | "fileExt" | "isSearchable">;

type OrderQuery = Pick<DatasetQuery, "workspaceId" | "types" | "isSearchable" | "sort" | "now">;

/**
 * Whether an index has the datasets in the order of the list. With a condition on searchability, only lists by age have
 * one.
 */
export const isIndexed = ({ isSearchable, sort }: Pick<OrderQuery, "isSearchable" | "sort">): boolean =>
  isSearchable === undefined || sort[0]?.property === "createdAt";

/** Lists datasets in the order of an index. Each index has the datasets of each type in order; the types are merged. */
export async function datasetsInOrder(db: Kysely<Schema>, query: OrderQuery): Promise<DatasetOrder> {
  const { workspaceId, types, isSearchable, now } = query;
  const known = await countByType(db, query);
  const wanted = datasetTypes.filter((type) => known.has(type) && (types.length === 0 || types.includes(type)));
  if (wanted.length === 0) return { total: 0, ids: async () => [], traits: async () => [] };
  const expired = await countExpired(db, query, wanted);
  const total = wanted.reduce((sum, type) => sum + (known.get(type) ?? 0), -expired);
  const keys = sortKeys(query);
  const ranges = wanted.map((type): Range<"datasets", DatasetId> =>
    db
      .selectFrom("datasets")
      .select(["id", ...keys.map(({ property }) => property).filter((property) => property !== "id")])
      .where("workspaceId", "=", workspaceId)
      .where("type", "=", type)
      .$if(isSearchable !== undefined, (range) => range.where("isSearchable", "=", Number(isSearchable)))
      .$if(expired > 0, (range) => range.where(unexpired(now))),
  );
  const columns = keys.map(({ property, descending }) => ({
    column: property,
    descending,
    isNullable: isNullable(property),
  }));
  const withTraits = ranges.map((range) => range.select(["metadata", "fileExt", "isSearchable"]));
  return {
    total,
    ids: (offset, limit) => sliceOf(db, ranges, columns, { total, offset, limit }),
    traits: (offset, limit) => rowsOf(db, withTraits, columns, { total, offset, limit }),
  };
}

export function sortKeys({ sort }: Pick<DatasetQuery, "sort">): readonly SortKey<DatasetSort | "id">[] {
  return [...sort, { property: "id", descending: sort[0]?.descending ?? false }];
}

const isNullable = (property: DatasetSort | "id"): boolean => property === "updatedAt" || property === "expiresAt";

/** Counts datasets by type; types without datasets are left out. */
async function countByType(
  db: Kysely<Schema>,
  { workspaceId, isSearchable }: Pick<OrderQuery, "workspaceId" | "isSearchable">,
): Promise<ReadonlyMap<string, number>> {
  const all = await countByName(db, workspaceId, "datasets");
  if (isSearchable === undefined) return all;
  const searchable = await countByName(db, workspaceId, "searchable");
  const counts = [...all].map(([type, total]) => {
    const some = searchable.get(type) ?? 0;
    return [type, isSearchable ? some : total - some] as const;
  });
  return new Map(counts.filter(([, count]) => count > 0));
}

/** Counts the expired datasets that have not been deleted yet; a worker looks for them twice a second. */
async function countExpired(
  db: Kysely<Schema>,
  { workspaceId, isSearchable, now }: Pick<OrderQuery, "workspaceId" | "isSearchable" | "now">,
  types: readonly DatasetType[],
): Promise<number> {
  const { expired } = await db
    .selectFrom("datasets")
    .select(({ fn }) => fn.countAll<number | string>().as("expired"))
    .where("workspaceId", "=", workspaceId)
    .where("type", "in", types)
    // The unary plus keeps the database from using the index of this column: the index of expiry times has fewer rows
    // to read.
    .$if(isSearchable !== undefined, (rows) => rows.where(sql<boolean>`+"isSearchable" = ${Number(isSearchable)}`))
    .where("expiresAt", "<=", now)
    .executeTakeFirstOrThrow();
  return Number(expired);
}

/** Maximum number of datasets that are checked in the order of the list; each check takes about 5 µs. */
const maxWalked = 1_000;
/** Safety factor: if matching datasets were spread evenly, checking a third of these would be enough. */
const reserve = 3;

/**
 * Finds a page of a list by checking the first datasets of the workspace. `matching` is the number of datasets that
 * match. Returns undefined if too few match for this to be fast, or if the page turns out not to be among those
 * checked.
 */
export async function firstMatching(
  db: Kysely<Schema>,
  query: DatasetQuery,
  matching: number,
): Promise<readonly DatasetId[] | undefined> {
  const { filter, fileExts = [], isSearchable, offset, limit } = query;
  const end = Math.min(offset + limit, matching);
  const all = await datasetsInOrder(db, { ...query, isSearchable: undefined });
  const walked = Math.ceil((reserve * end * all.total) / matching);
  if (walked > maxWalked) return undefined;
  const found = (await all.traits(0, walked)).filter(
    (dataset) =>
      (filter === undefined || matches(filter, metadataOf(dataset.metadata))) &&
      (fileExts.length === 0 || fileExts.includes(dataset.fileExt)) &&
      (isSearchable === undefined || dataset.isSearchable === Number(isSearchable)),
  );
  return found.length < end ? undefined : found.slice(offset, end).map(({ id }) => id);
}
