import type { Kysely } from "kysely";
import { matches } from "../../../domain/filters/matches.ts";
import type { Filter } from "../../../domain/filters/filter.ts";
import { datasetTypes } from "../../../domain/datasets/dataset.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import type { DatasetQuery } from "../../../domain/ports/datasets.ts";
import type { Schema } from "../schema.ts";
import { countByName } from "../tenants/tallies.ts";
import { datasetsInOrder, type DatasetTraits } from "./dataset-order.ts";
import { metadataOf } from "./metadata-rows.ts";

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
