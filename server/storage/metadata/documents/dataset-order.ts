import { type Expression, type ExpressionBuilder, type Kysely, type Selectable, sql, type SqlBool } from "kysely";
import { datasetTypes, type DatasetType } from "../../../domain/datasets/dataset.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import type { DatasetQuery, DatasetSort } from "../../../domain/ports/datasets.ts";
import type { SortKey } from "../../../domain/list.ts";
import type { Schema } from "../schema.ts";
import { type Range, rowsOf, sliceOf } from "../slices.ts";
import type { DatasetTable } from "../tables/datasets.ts";
import { countByName } from "../tenants/tallies.ts";
import { matches } from "../../../domain/filters/matches.ts";
import type { Filter } from "../../../domain/filters/filter.ts";
import { metadataOf } from "./dataset-rows.ts";

export function unexpired(now: number): (builder: ExpressionBuilder<Schema, "datasets">) => Expression<SqlBool> {
  return ({ eb, or }) => or([eb("expiresAt", "is", null), eb("expiresAt", ">", now)]);
}

/** The datasets of some types in the order of a list. */
interface DatasetOrder {
  readonly total: number;
  ids(offset: number, limit: number): Promise<readonly DatasetId[]>;
  traits(offset: number, limit: number): Promise<readonly DatasetTraits[]>;
}

/** The columns that the conditions of a list, apart from types, depend on. */
type DatasetTraits = Pick<Selectable<DatasetTable>, "id" | "metadata" | "fileExt" | "isSearchable">;

type OrderQuery = Pick<DatasetQuery, "workspaceId" | "types" | "isSearchable" | "sort" | "now">;

/**
 * Whether an index has the datasets in the order of the list. With a condition on searchability, that is the case only
 * for lists by age.
 */
export const isIndexed = ({ isSearchable, sort }: Pick<OrderQuery, "isSearchable" | "sort">): boolean =>
  isSearchable === undefined || sort[0]?.property === "createdAt";

/**
 * Lists datasets in the order of an index. Indices have the datasets of each type in each order; the few types are
 * merged.
 */
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

/** Counts the expired datasets that the worker, which looks twice a second, has not deleted yet. */
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
    // The plus, which does not change a number, makes the database read the index of the few expired datasets.
    .$if(isSearchable !== undefined, (rows) => rows.where(sql<boolean>`+"isSearchable" = ${Number(isSearchable)}`))
    .where("expiresAt", "<=", now)
    .executeTakeFirstOrThrow();
  return Number(expired);
}

/** A page of a list, and the length of the list. */
export interface IdPage {
  readonly total: number;
  readonly ids: readonly DatasetId[];
}

/** Maximum number of datasets that are checked in the order of the list; each takes some 5 µs. */
const maxWalked = 1_000;
/** Factor by which more datasets are checked than should be enough. */
const reserve = 3;

interface Walk extends DatasetQuery {
  /** Number of datasets of the workspace that pass. */
  readonly passing: number;
  readonly passes: (dataset: DatasetTraits) => boolean;
}

/**
 * Finds a page of a list among the first datasets of the workspace, if so many pass that it should be there; undefined
 * if it is not.
 */
async function walk(
  db: Kysely<Schema>,
  { passing, passes, ...query }: Walk,
): Promise<readonly DatasetId[] | undefined> {
  const { offset, limit } = query;
  const end = Math.min(offset + limit, passing);
  const all = await datasetsInOrder(db, { ...query, isSearchable: undefined });
  const walked = Math.ceil((reserve * end * all.total) / passing);
  if (walked > maxWalked) return undefined;
  const found = (await all.traits(0, walked)).filter(passes);
  return found.length < end ? undefined : found.slice(offset, end).map(({ id }) => id);
}

/** A page of the datasets that pass the filter, if it is near the beginning of the list. `passing` is how many pass. */
export function pageOfMatching(
  db: Kysely<Schema>,
  query: DatasetQuery & { readonly filter: Filter },
  passing: number,
): Promise<readonly DatasetId[] | undefined> {
  return walk(db, { ...query, passing, passes: ({ metadata }) => matches(query.filter, metadataOf(metadata)) });
}

/** The same for datasets that are searchable, or not. */
export function pageOfSearchable(
  db: Kysely<Schema>,
  query: DatasetQuery,
  passing: number,
): Promise<readonly DatasetId[] | undefined> {
  return walk(db, { ...query, passing, passes: ({ isSearchable }) => isSearchable === Number(query.isSearchable) });
}

type OfFormats = DatasetQuery & { readonly fileExts: readonly string[] };

/** Counts the datasets of a workspace that have one of the formats. */
export async function countOfFormats(
  db: Kysely<Schema>,
  { workspaceId, fileExts, now }: Pick<OfFormats, "workspaceId" | "fileExts" | "now">,
): Promise<number> {
  const known = await countByName(db, workspaceId, "formats");
  // Expired datasets that the worker, which looks twice a second, has not deleted yet.
  const { expired } = await db
    .selectFrom("datasets")
    .select(({ fn }) => fn.countAll<number | string>().as("expired"))
    .where("workspaceId", "=", workspaceId)
    .where("fileExt", "in", fileExts)
    .where("type", "in", datasetTypes)
    .where("expiresAt", "<=", now)
    .executeTakeFirstOrThrow();
  return [...new Set(fileExts)].reduce((sum, fileExt) => sum + (known.get(fileExt) ?? 0), -Number(expired));
}

/** A page of the datasets that have one of the formats, if it is near the beginning of the list. */
export function pageOfFormats(
  db: Kysely<Schema>,
  query: OfFormats,
  passing: number,
): Promise<readonly DatasetId[] | undefined> {
  return walk(db, { ...query, passing, passes: ({ fileExt }) => query.fileExts.includes(fileExt) });
}
