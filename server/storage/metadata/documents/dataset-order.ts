import { type Expression, type ExpressionBuilder, type Kysely, type Selectable, sql, type SqlBool } from "kysely";
import { datasetTypes, type DatasetType } from "../../../domain/datasets/dataset.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import type { DatasetQuery, DatasetSort } from "../../../domain/ports/datasets.ts";
import type { SortKey } from "../../../domain/ports/list.ts";
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

/** What tells whether a dataset passes what a list asks beside types. */
type DatasetTraits = Pick<Selectable<DatasetTable>, "id" | "metadata" | "fileExt" | "isSearchable">;

type OrderQuery = Pick<DatasetQuery, "workspaceId" | "types" | "isSearchable" | "sort" | "now">;

/** Whether an index has the datasets in the order of the list: of those that are searchable, or not, by age alone. */
export const isIndexed = ({ isSearchable, sort }: Pick<OrderQuery, "isSearchable" | "sort">): boolean =>
  isSearchable === undefined || sort[0]?.property === "createdAt";

/** Indices have the datasets of each type in the order of each sort; few types are merged. */
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

/** Types of which there are none are left out. */
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

/** Those that the worker has not deleted yet: it looks twice a second. */
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
    // With a plus, which changes nothing of a number: the index is to be read that has the few which have expired.
    .$if(isSearchable !== undefined, (rows) => rows.where(sql<boolean>`+"isSearchable" = ${Number(isSearchable)}`))
    .where("expiresAt", "<=", now)
    .executeTakeFirstOrThrow();
  return Number(expired);
}

/** A page of a list, and how long the list is. */
export interface IdPage {
  readonly total: number;
  readonly ids: readonly DatasetId[];
}

/** Datasets that are looked at in the order of the list, each for some 5 µs. */
const maxWalked = 1_000;
/** How many times as many are looked at as should do. */
const reserve = 3;

interface Walk extends DatasetQuery {
  /** How many datasets of the workspace pass. */
  readonly passing: number;
  readonly passes: (dataset: DatasetTraits) => boolean;
}

/**
 * The page out of the first datasets of the workspace in the order of the list, where so many pass that it should be among
 * these; undefined if it is not.
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

/** Where so many datasets pass the filter: a page of them, if it is near the beginning of the list. */
export function pageOfMatching(
  db: Kysely<Schema>,
  query: DatasetQuery & { readonly filter: Filter },
  passing: number,
): Promise<readonly DatasetId[] | undefined> {
  return walk(db, { ...query, passing, passes: ({ metadata }) => matches(query.filter, metadataOf(metadata)) });
}

/** The same, by whether they are searchable. */
export function pageOfSearchable(
  db: Kysely<Schema>,
  query: DatasetQuery,
  passing: number,
): Promise<readonly DatasetId[] | undefined> {
  return walk(db, { ...query, passing, passes: ({ isSearchable }) => isSearchable === Number(query.isSearchable) });
}

type OfFormats = DatasetQuery & { readonly fileExts: readonly string[] };

/** How many datasets a workspace has of some formats. */
export async function countOfFormats(
  db: Kysely<Schema>,
  { workspaceId, fileExts, now }: Pick<OfFormats, "workspaceId" | "fileExts" | "now">,
): Promise<number> {
  const known = await countByName(db, workspaceId, "formats");
  // Those that the worker has not deleted yet: it looks twice a second.
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

/** The same, by their formats. */
export function pageOfFormats(
  db: Kysely<Schema>,
  query: OfFormats,
  passing: number,
): Promise<readonly DatasetId[] | undefined> {
  return walk(db, { ...query, passing, passes: ({ fileExt }) => query.fileExts.includes(fileExt) });
}
