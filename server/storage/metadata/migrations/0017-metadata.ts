import { type Kysely, sql } from "kysely";
import type { Engine } from "../engine.ts";

/**
 * What owners say of their datasets: whole in the row, and value by value beside it, where an index finds the datasets that
 * have a value. A trigger removes the values with the dataset, also where an older version of drs removes it.
 */
export async function metadata(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const table of ["datasets", "uploads"]) {
    await db.schema
      .alterTable(table)
      .addColumn("metadata", "text", (column) => column.notNull().defaultTo("{}"))
      .execute();
  }
  await db.schema
    .createTable("metadataValues")
    .addColumn("datasetId", "text", (column) => column.notNull())
    .addColumn("field", "text", (column) => column.notNull())
    .addColumn("place", "bigint", (column) => column.notNull())
    .addColumn("workspaceId", "text", (column) => column.notNull())
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("number", "double precision", (column) => column.notNull())
    .addColumn("text", "text", (column) => column.notNull())
    .addColumn("isList", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("metadataValuesKey", ["datasetId", "field", "place"])
    .execute();
  await db.schema
    .createIndex("metadataByValue")
    .on("metadataValues")
    .columns(["workspaceId", "field", "type", "number", "text", "isList", "datasetId"])
    .execute();
  await engine.createTrigger(db, {
    name: "forgetMetadata",
    table: "datasets",
    after: "delete",
    run: [sql`delete from "metadataValues" where "datasetId" = old."id"`],
  });
}
