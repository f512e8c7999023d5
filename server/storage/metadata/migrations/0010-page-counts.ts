import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Engine } from "../engine.ts";

/** How many readable and embedded pages each thousand pages of a dataset have. */
export async function pageCounts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable("pageCounts")
    .addColumn("datasetId", "text", (column) => column.notNull())
    .addColumn("block", "bigint", (column) => column.notNull())
    .addColumn("readable", "bigint", (column) => column.notNull())
    .addColumn("embedded", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("pageCountsKey", ["datasetId", "block"])
    .execute();
  await sql`insert into "pageCounts" ("datasetId", "block", "readable", "embedded")
    select "datasetId", "page" / 1000, sum(${readable("")}), sum(${embedded("")}) from "pages" group by 1, 2`.execute(
    db,
  );
  await engine.createTrigger(db, {
    name: "countNewPage",
    table: "pages",
    after: "insert",
    run: [
      sql`insert into "pageCounts" ("datasetId", "block", "readable", "embedded")
        values (new."datasetId", new."page" / 1000, ${readable("new.")}, ${embedded("new.")})
        on conflict ("datasetId", "block") do update set
          "readable" = "pageCounts"."readable" + excluded."readable",
          "embedded" = "pageCounts"."embedded" + excluded."embedded"`,
    ],
  });
  await engine.createTrigger(db, {
    name: "countChangedPage",
    table: "pages",
    after: "update",
    of: ["failure", "embeddedAt"],
    run: [
      sql`update "pageCounts" set
          "readable" = "readable" + ${readable("new.")} - ${readable("old.")},
          "embedded" = "embedded" + ${embedded("new.")} - ${embedded("old.")}
        where "datasetId" = new."datasetId" and "block" = new."page" / 1000
          and (${readable("new.")} <> ${readable("old.")} or ${embedded("new.")} <> ${embedded("old.")})`,
    ],
  });
  await engine.createTrigger(db, {
    name: "countRemovedPage",
    table: "pages",
    after: "delete",
    run: [
      sql`update "pageCounts" set
          "readable" = "readable" - ${readable("old.")}, "embedded" = "embedded" - ${embedded("old.")}
        where "datasetId" = old."datasetId" and "block" = old."page" / 1000 and old."failure" is null`,
    ],
  });
}

export const readable = (of: string): RawBuilder<unknown> =>
  sql.raw(`case when ${of}"failure" is null then 1 else 0 end`);

export const embedded = (of: string): RawBuilder<unknown> =>
  sql.raw(`case when ${of}"failure" is null and ${of}"embeddedAt" is not null then 1 else 0 end`);
