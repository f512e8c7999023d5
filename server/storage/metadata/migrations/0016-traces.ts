import type { Kysely } from "kysely";

/** Which request put a job into the queue, so that the spans of the job are in its trace wherever and whenever it runs. */
export async function traces(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("jobs").addColumn("traceparent", "text").execute();
}
