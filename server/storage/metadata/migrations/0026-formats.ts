import type { Kysely } from "kysely";
import type { Engine } from "../engine.ts";
import { column, tally } from "./0010-tallies.ts";

/** How many datasets a workspace has of each format, and where those of a rare one are. */
export async function formats(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await tally(db, engine, {
    table: "datasets",
    kind: "formats",
    owner: column("workspaceId"),
    name: column("fileExt"),
    id: column("id"),
    // Datasets that are not in lists yet.
    amount: (of) => `case when ${of}"type" = 'pending' then 0 else 1 end`,
    changes: ["fileExt", "type"],
  });
  await db.schema
    .createIndex("datasetsByFormat")
    .on("datasets")
    .columns(["workspaceId", "fileExt", "type", "expiresAt"])
    .execute();
}
