import type { Kysely } from "kysely";
import { migrations, type Step } from "../../../server/storage/metadata/migrate.ts";

// Loaded before drs (`--import`), with the oldest version that may go on beside the migration as the query of its address.

/** Expands the schema, as migrations of released versions do: a table, a column with a default, and an index of it. */
async function labels(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("labels")
    .addColumn("name", "text", (column) => column.primaryKey().notNull())
    .execute();
  await db.schema
    .alterTable("datasets")
    .addColumn("label", "text", (column) => column.notNull().defaultTo("none"))
    .execute();
  await db.schema.createIndex("datasetsByLabel").on("datasets").columns(["workspaceId", "label", "id"]).execute();
}

const step: Step = { up: labels, oldestReader: new URL(import.meta.url).search.slice(1) };
Object.assign(migrations, { "0002-labels": step });
