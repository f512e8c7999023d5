import type { Kysely } from "kysely";
import type { Schema } from "../schema.ts";
import type { TallyKind } from "../tables/bookkeeping.ts";

/**
 * Returns counts by name, without names that have a count of zero. Triggers maintain the counts; see the migrations.
 */
export async function countByName(db: Kysely<Schema>, owner: string, kind: TallyKind): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("tallies")
    .select(({ fn }) => ["name", fn.sum<number | string>("total").as("total")])
    .where("owner", "=", owner)
    .where("kind", "=", kind)
    .groupBy("name")
    .execute();
  return new Map(rows.map(({ name, total }) => [name, Number(total)] as const).filter(([, total]) => total > 0));
}
