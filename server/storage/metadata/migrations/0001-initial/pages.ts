import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Engine } from "../../engine.ts";
import { primary, required, text } from "./columns.ts";

/**
 * Creates the tables of pages, their words, their counts and their renditions. None has a foreign key to `datasets`,
 * because pages are removed some time after their dataset (docs/decisions/0017-bounded-work.md).
 */
export async function pages(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await createPages(db, engine);
  await createPageCounts(db, engine);
  await createRenditions(db);
}

async function createPages(db: Kysely<unknown>, { types }: Engine): Promise<void> {
  await db.schema
    .createTable("pages")
    .addColumn("datasetId", "text", required)
    .addColumn("page", "bigint", required)
    .addColumn("width", "double precision", required)
    .addColumn("height", "double precision", required)
    .addColumn("failure", "text")
    .addColumn("embedFailure", "text")
    .addColumn("renderFailure", "text")
    .addColumn("createdAt", "bigint", required)
    .addColumn("embeddedAt", "bigint")
    .addColumn("absentFrom", "text", text(""))
    .addPrimaryKeyConstraint("pagesKey", ["datasetId", "page"])
    .execute();
  await db.schema
    .createIndex("pagesByAge")
    .on("pages")
    .columns(["datasetId", "createdAt desc", "page"])
    .where(sql<boolean>`"failure" is null`)
    .execute();
  await db.schema
    .createIndex("pagesByEmbedding")
    .on("pages")
    .columns(["datasetId", "embeddedAt desc", "page"])
    .where(sql<boolean>`"failure" is null and "embeddedAt" is not null`)
    .execute();
  await db.schema
    .createIndex("pagesFailed")
    .on("pages")
    .columns(["datasetId", "page"])
    .where(sql<boolean>`"failure" is not null or "embedFailure" is not null or "renderFailure" is not null`)
    .execute();
  await db.schema
    .createTable("pageWords")
    .addColumn("datasetId", "text", required)
    .addColumn("page", "bigint", required)
    .addColumn("words", types.bytes, required)
    .addPrimaryKeyConstraint("pageWordsKey", ["datasetId", "page"])
    .execute();
}

/** Counts the readable and embedded pages in each thousand pages of a dataset, so that a total is a sum of few rows. */
async function createPageCounts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable("pageCounts")
    .addColumn("datasetId", "text", required)
    .addColumn("block", "bigint", required)
    .addColumn("readable", "bigint", required)
    .addColumn("embedded", "bigint", required)
    .addPrimaryKeyConstraint("pageCountsKey", ["datasetId", "block"])
    .execute();
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

const readable = (of: string): RawBuilder<unknown> => sql.raw(`case when ${of}"failure" is null then 1 else 0 end`);

const embedded = (of: string): RawBuilder<unknown> =>
  sql.raw(`case when ${of}"failure" is null and ${of}"embeddedAt" is not null then 1 else 0 end`);

async function createRenditions(db: Kysely<unknown>): Promise<void> {
  // Both indices include the size, so that sums are read from the index alone.
  await db.schema
    .createTable("renditions")
    .addColumn("key", "text", primary)
    .addColumn("datasetId", "text", required)
    .addColumn("size", "bigint", required)
    .addColumn("lastUsedAt", "bigint", required)
    .execute();
  await db.schema.createIndex("renditionsByDataset").on("renditions").columns(["datasetId", "size"]).execute();
  await db.schema.createIndex("renditionsByUse").on("renditions").columns(["lastUsedAt", "size"]).execute();
}
