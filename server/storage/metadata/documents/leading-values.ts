import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import type { Condition, Filter } from "../../../domain/filters/filter.ts";
import { parseDatasetId, type DatasetId, type WorkspaceId } from "../../../domain/ids.ts";
import type { Schema } from "../schema.ts";
import { isPending } from "./versions.ts";
import { everything, fulfilsOne, type Lead, leadsOf, passes } from "./metadata-filter.ts";

interface Asked {
  readonly workspaceId: WorkspaceId;
  /** Datasets that have expired by then are not there. */
  readonly now: number;
}

/** The shortest way to the datasets that pass a filter: the values that fulfil some of its conditions. */
export interface LeadingValues {
  /** There are few, and the rest of the filter is looked up dataset by dataset. */
  readonly isShort: boolean;
  readonly lead: Lead;
}

/** So many datasets are few: to look up a condition of each takes some 9 ms. */
export const maxFew = 3_000;
/** Ways of which it is counted how many values fulfil them. */
const maxCompared = 8;

/** Undefined: no values lead to all of them. */
export async function findLead(
  db: Kysely<Schema>,
  { workspaceId, filter }: { readonly workspaceId: WorkspaceId; readonly filter: Filter },
): Promise<LeadingValues | undefined> {
  const leads = leadsOf(filter).slice(0, maxCompared);
  const [first] = leads;
  if (first === undefined) return undefined;
  // There is no other way, and nothing that is left to be looked up.
  if (leads.length === 1 && isPlain(first)) return { lead: first, isShort: false };
  for (const lead of leads) {
    if ((await countUpTo(db, workspaceId, lead, maxFew + 1)) <= maxFew) return { lead, isShort: true };
  }
  return { lead: first, isShort: false };
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

/** The filter is one condition. */
const isPlain = ({ conditions, rest }: Lead): boolean => conditions.length === 1 && rest === everything;

/** How many datasets pass. */
export async function countLed(db: Kysely<Schema>, asked: Asked, leading: LeadingValues): Promise<number> {
  const [condition] = leading.lead.conditions;
  if (condition !== undefined && isPlain(leading.lead)) return countFulfilling(db, asked, condition);
  const { count } = await db
    .selectFrom(idsLed(db, asked, leading).as("passing"))
    .select(({ fn }) => fn.countAll<number | string>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * The same of a filter that is one condition. The index of values has what fulfils it in one piece: a row for each dataset, of
 * lists perhaps several. The few that are not in lists are taken off, since to look at each of all for that takes twice as long.
 */
async function countFulfilling(db: Kysely<Schema>, { workspaceId, now }: Asked, condition: Condition): Promise<number> {
  const fulfilling = db
    .selectFrom("datasets")
    .select(({ fn }) => fn.countAll<number | string>().as("count"))
    .where(passes(workspaceId, condition, { lookUp: "each" }));
  // The index is to be read that has the few of all workspaces which have expired.
  const isOfWorkspace = sql<boolean>`"datasets"."workspaceId" || '' = ${workspaceId}`;
  const { values, expired, pending } = await db
    .selectFrom("metadataValues")
    .select(({ fn, eb }) => [
      eb(
        fn.countAll<number>().filterWhere("isList", "=", 0),
        "+",
        fn.count<number>("datasetId").distinct().filterWhere("isList", "=", 1),
      ).as("values"),
      fulfilling.where(isOfWorkspace).where("type", "<>", "pending").where("expiresAt", "<=", now).as("expired"),
      fulfilling.where("workspaceId", "=", workspaceId).where(isPending).as("pending"),
    ])
    .where(fulfilsOne(workspaceId, [condition]))
    .executeTakeFirstOrThrow();
  return values - Number(expired) - Number(pending);
}

/** The ids of datasets that pass, in no order; in one text, since a row for each takes five times as long. */
export async function listIdsLed(
  db: Kysely<Schema>,
  asked: Asked,
  leading: LeadingValues,
  limit: number,
): Promise<readonly DatasetId[]> {
  const { ids } = await db
    .selectFrom(idsLed(db, asked, leading).limit(limit).as("passing"))
    .select(sql<string | null>`string_agg("datasetId", ' ')`.as("ids"))
    .executeTakeFirstOrThrow();
  return (ids ?? "").split(" ").flatMap((id) => parseDatasetId(id) ?? []);
}

/** The datasets that pass, once each. */
export function idsLed(
  db: Kysely<Schema>,
  { workspaceId, now }: Asked,
  { lead: { conditions, rest }, isShort }: LeadingValues,
): SelectQueryBuilder<Schema, "metadataValues", { datasetId: DatasetId }> {
  // Of all workspaces, as the index of those that expire has them: they are there for half a second.
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
