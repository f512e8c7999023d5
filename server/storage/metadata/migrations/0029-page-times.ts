import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Engine } from "../engine.ts";
import { embedded, readable } from "./0010-page-counts.ts";

/**
 * Between which times the pages of a block were read and embedded, so that a list by age passes over whole blocks. No page has
 * an earlier or a later time, but the bounds may be wider than those that the pages have now. Null: not known. And where the
 * identities of a member are.
 */
export async function pageTimes(db: Kysely<unknown>, engine: Engine): Promise<void> {
  for (const column of ["firstCreatedAt", "lastCreatedAt", "firstEmbeddedAt", "lastEmbeddedAt"]) {
    await db.schema.alterTable("pageCounts").addColumn(column, "bigint").execute();
  }
  await fill(db);
  for (const name of ["countNewPage", "countChangedPage"]) await engine.dropTrigger(db, name, "pages");
  await engine.createTrigger(db, {
    name: "countNewPage",
    table: "pages",
    after: "insert",
    run: [
      sql`insert into "pageCounts" ("datasetId", "block", "readable", "embedded",
          "firstCreatedAt", "lastCreatedAt", "firstEmbeddedAt", "lastEmbeddedAt")
        values (new."datasetId", new."page" / 1000, ${readable("new.")}, ${embedded("new.")},
          new."createdAt", new."createdAt", new."embeddedAt", new."embeddedAt")
        on conflict ("datasetId", "block") do update set
          "readable" = "pageCounts"."readable" + excluded."readable",
          "embedded" = "pageCounts"."embedded" + excluded."embedded",
          ${widened}`,
    ],
  });
  await engine.createTrigger(db, {
    name: "countChangedPage",
    table: "pages",
    after: "update",
    of: ["failure", "createdAt", "embeddedAt"],
    run: [
      sql`update "pageCounts" set
          "readable" = "readable" + ${readable("new.")} - ${readable("old.")},
          "embedded" = "embedded" + ${embedded("new.")} - ${embedded("old.")},
          ${widened}
        where "datasetId" = new."datasetId" and "block" = new."page" / 1000
          and (${readable("new.")} <> ${readable("old.")} or ${embedded("new.")} <> ${embedded("old.")}
            or new."createdAt" < "firstCreatedAt" or new."createdAt" > "lastCreatedAt"
            or new."embeddedAt" < "firstEmbeddedAt" or new."embeddedAt" > "lastEmbeddedAt")`,
    ],
  });
  await db.schema.createIndex("identitiesByMember").on("identities").columns(["memberId", "createdAt"]).execute();
}

/** Of documents with several blocks: in others there is nothing to pass over. */
async function fill(db: Kysely<unknown>): Promise<void> {
  const of = (value: RawBuilder<unknown>) => sql`(select ${value} from "pages"
    where "pages"."datasetId" = "pageCounts"."datasetId"
      and "pages"."page" between "pageCounts"."block" * 1000 and "pageCounts"."block" * 1000 + 999)`;
  await sql`update "pageCounts" set
      "firstCreatedAt" = ${of(sql`min("createdAt")`)}, "lastCreatedAt" = ${of(sql`max("createdAt")`)},
      "firstEmbeddedAt" = ${of(sql`min("embeddedAt")`)}, "lastEmbeddedAt" = ${of(sql`max("embeddedAt")`)}
    where "datasetId" in (select "datasetId" from "pageCounts" where "block" > 0)`.execute(db);
}

/** A time outside of the bounds moves one of them; unknown ones stay unknown. Of no pages there are none yet. */
const widened = sql.join(
  (["created", "embedded"] as const).flatMap((what) => {
    const [counted, time] = what === "created" ? ["readable", "createdAt"] : ["embedded", "embeddedAt"];
    return (["first", "last"] as const).map((end) => {
      const bound = `"${end}${what === "created" ? "CreatedAt" : "EmbeddedAt"}"`;
      const isOutside = `new."${time}" ${end === "first" ? "<" : ">"} "pageCounts".${bound}`;
      return sql.raw(`${bound} = case
        when ("pageCounts"."${counted}" = 0 or ${isOutside}) and new."${time}" is not null then new."${time}"
        else "pageCounts".${bound} end`);
    });
  }),
);
