import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import type { Filter } from "../../../domain/filters/filter.ts";
import { parseDatasetId, type DatasetId, type WorkspaceId } from "../../../domain/ids.ts";
import type { Schema } from "../schema.ts";
import { isPending } from "./versions.ts";
import { fulfilsOne, type Lead, leadsOf, passes } from "./metadata-filter.ts";

interface Query {
  readonly workspaceId: WorkspaceId;
  /** Datasets that have expired by this time are left out. */
  readonly now: number;
}

/** The chosen lead of a filter. */
export interface LeadingValues {
  /** Whether the lead has few values, so that the rest of the filter is checked dataset by dataset. */
  readonly isShort: boolean;
  readonly lead: Lead;
}

/** Maximum number of datasets that count as few: checking one condition for all of them takes about 9 ms. */
export const maxFew = 3_000;
/** Maximum number of leads for which values are counted. */
const maxCompared = 8;

/** Finds the best lead of a filter; undefined if no values lead to all datasets that pass. */
export async function findLead(
  db: Kysely<Schema>,
  { workspaceId, filter }: { readonly workspaceId: WorkspaceId; readonly filter: Filter },
): Promise<LeadingValues | undefined> {
  const leads = leadsOf(filter).slice(0, maxCompared);
  for (const lead of leads) {
    if ((await countUpTo(db, workspaceId, lead, maxFew + 1)) <= maxFew) return { lead, isShort: true };
  }
  const [first] = leads;
  return first && { lead: first, isShort: false };
}

async function countUpTo(
  db: Kysely<Schema>,
  workspaceId: WorkspaceId,
  { conditions }: Lead,
  limit: number,
): Promise<number> {
  const some = db
    .selectFrom("metadataValues")
    .select("datasetId")
    .where(fulfilsOne(workspaceId, conditions))
    .limit(limit);
  const { count } = await db
    .selectFrom(some.as("some"))
    .select(({ fn }) => fn.countAll<number | string>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * Lists the ids of datasets that pass, in no particular order. They are read as one text, because one row per id would
 * take five times as long.
 */
export async function listIdsLed(
  db: Kysely<Schema>,
  query: Query,
  leading: LeadingValues,
  limit: number,
): Promise<readonly DatasetId[]> {
  const { ids } = await db
    .selectFrom(idsLed(db, query, leading).limit(limit).as("passing"))
    .select(sql<string | null>`string_agg("datasetId", ' ')`.as("ids"))
    .executeTakeFirstOrThrow();
  return (ids ?? "").split(" ").flatMap((id) => parseDatasetId(id) ?? []);
}

/** Selects the datasets that pass, each once. */
export function idsLed(
  db: Kysely<Schema>,
  { workspaceId, now }: Query,
  { lead: { conditions, rest }, isShort }: LeadingValues,
): SelectQueryBuilder<Schema, "metadataValues", { datasetId: DatasetId }> {
  // The datasets of all workspaces, as in the index of expiring ones; a worker deletes expired ones within half a
  // second.
  const expired = db.selectFrom("datasets").select("id").where("expiresAt", "<=", now);
  const pending = db.selectFrom("datasets").select("id").where("workspaceId", "=", workspaceId).where(isPending);
  return db
    .selectFrom("metadataValues")
    .select("metadataValues.datasetId")
    .distinct()
    .where(fulfilsOne(workspaceId, conditions))
    .where("metadataValues.datasetId", "not in", expired)
    .where("metadataValues.datasetId", "not in", pending)
    .where(passes(workspaceId, rest, { of: "metadataValues.datasetId", lookUp: isShort ? "each" : "together" }));
}
