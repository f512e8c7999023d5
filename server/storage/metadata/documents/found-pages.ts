import { CompiledQuery, type Kysely, sql } from "kysely";
import type { DatasetId, WorkspaceId } from "../../../domain/ids.ts";
import type { FoundPageRecord, PageStore } from "../../../domain/ports/pages.ts";
import type { PageKey } from "../../../domain/ports/vectors.ts";
import { batches } from "../batches.ts";
import type { Schema } from "../schema.ts";
import { isServed } from "./items.ts";
import { metadataOf } from "./dataset-rows.ts";

interface FoundRow extends PageKey {
  readonly embeddedAt: number;
  readonly versionOf: DatasetId | null;
  readonly fileName: string;
  readonly itemCount: number;
  readonly metadata: string;
}

/** Implements `PageStore.found`. */
export function foundMethod(db: Kysely<Schema>): PageStore["found"] {
  /** Cached statement texts by the number of pages, because building a statement takes longer than running it. */
  const texts = new Map<number, string>();

  async function rowsOf(
    workspaceId: WorkspaceId,
    pages: readonly PageKey[],
    now: number,
  ): Promise<readonly FoundRow[]> {
    const text = texts.get(pages.length) ?? textFor(db, pages.length);
    texts.set(pages.length, text);
    const parameters = pages.flatMap(({ datasetId, page, generation }) => [datasetId, page, generation]);
    const { rows } = await db.executeQuery<FoundRow>(CompiledQuery.raw(text, [...parameters, workspaceId, now]));
    return rows;
  }

  return async (workspaceId, pages, now) => {
    const datasets = new Map<DatasetId, FoundPageRecord["dataset"]>();
    const found: FoundPageRecord[] = [];
    for (const batch of batches(pages)) {
      for (const { page, generation, embeddedAt, ...row } of await rowsOf(workspaceId, batch, now)) {
        const dataset = datasets.get(row.datasetId) ?? datasetOf(row);
        datasets.set(dataset.id, dataset);
        found.push({ datasetId: dataset.id, page, generation, embeddedAt, dataset });
      }
    }
    return found;
  };
}

type DatasetColumns = Pick<FoundRow, "datasetId" | "versionOf" | "fileName" | "itemCount" | "metadata">;

const datasetOf = ({ datasetId: id, metadata, ...columns }: DatasetColumns): FoundPageRecord["dataset"] => ({
  id,
  ...columns,
  metadata: metadataOf(metadata),
});

/**
 * Builds the statement. Its parameters are dataset, page and generation of each page, then the workspace and the time.
 */
function textFor(db: Kysely<Schema>, count: number): string {
  // The cast is needed because a parameter in a list of values has no type.
  const wanted = Array.from({ length: count }, () => sql`(${""}, cast(${0} as integer), ${""})`);
  return sql`
    with wanted("datasetId", "page", "generation") as (values ${sql.join(wanted)})
    select wanted."datasetId", wanted."page", wanted."generation", pages."embeddedAt",
      datasets."versionOf", datasets."fileName", datasets."itemCount", datasets."metadata"
    from wanted cross join pages cross join datasets
    where pages."datasetId" = wanted."datasetId" and pages."page" = wanted."page"
      and pages."failure" is null and pages."embeddedAt" is not null and ${isServed(sql`wanted."datasetId"`)}
      and exists (select 1 from "indices" where "indices"."datasetId" = wanted."datasetId"
        and "indices"."generation" = wanted."generation")
      and datasets."id" = wanted."datasetId" and datasets."workspaceId" = ${""} and datasets."type" <> 'pending'
      and (datasets."expiresAt" is null or datasets."expiresAt" > ${0})`.compile(db).sql;
}
