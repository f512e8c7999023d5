import { type Kysely, sql } from "kysely";
import type { DatasetId } from "../../../domain/ids.ts";
import type { ItemRecord, PageStore } from "../../../domain/ports/pages.ts";
import { batches } from "../batches.ts";
import { isDatasetThere } from "./dataset-rows.ts";
import { listItems } from "./item-list.ts";
import { isThere, itemColumns, rowsTable } from "./item-rows.ts";
import { literal } from "./item-spans.ts";
import type { Schema } from "../schema.ts";

type ItemMethods = Pick<PageStore, "listItems" | "getItem" | "getItems">;

/**
 * Items are not stored. They are the pages times the rows that a page has: pdf and jpg when it can be read,
 * embedding_image when it has been embedded.
 */
export function itemMethods(db: Kysely<Schema>): ItemMethods {
  return {
    listItems: (query) => listItems(db, query),

    async getItem(datasetId, page, row) {
      const { rows } = await sql<ItemRecord>`
        with ${rowsTable([row])}
        select ${itemColumns} from pages cross join "rows"
        where pages."datasetId" = ${datasetId} and pages."page" = ${page} and ${isThere} and ${isDatasetThere}`.execute(
        db,
      );
      return rows[0];
    },

    async getItems(refs, row) {
      const found: (ItemRecord & { datasetId: DatasetId })[] = [];
      const distinct = new Map(refs.map((ref) => [`${ref.datasetId}/${ref.page}`, ref]));
      for (const batch of batches(distinct.values())) {
        const wanted = batch.map(({ datasetId, page }) => sql`(${datasetId}, ${literal(page)})`);
        const { rows } = await sql<ItemRecord & { datasetId: DatasetId }>`
          with wanted("datasetId", "page") as (values ${sql.join(wanted)}), ${rowsTable([row])}
          select pages."datasetId", ${itemColumns} from wanted cross join pages cross join "rows"
          where pages."datasetId" = wanted."datasetId" and pages."page" = wanted."page" and ${isThere}
            and exists (select 1 from "datasets" where "datasets"."id" = pages."datasetId")`.execute(db);
        found.push(...rows);
      }
      return found;
    },
  };
}
