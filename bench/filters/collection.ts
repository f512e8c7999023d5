import { sql } from "kysely";
import { newDataset } from "../../server/domain/datasets/create.ts";
import type { Dataset } from "../../server/domain/datasets/dataset.ts";
import { newDatasetId, type WorkspaceId } from "../../server/domain/ids.ts";
import { newJob } from "../../server/domain/jobs/job.ts";
import type { PageInSpace } from "../../server/domain/ports/features.ts";
import { documentRows, type LexicalRow } from "../../server/domain/ports/vectors.ts";
import { insertDataset } from "../../server/storage/metadata/documents/dataset-rows.ts";
import { openRows, type RowsPlace } from "../../server/storage/metadata/open-rows.ts";
import type { Stores } from "../../server/stores.ts";
import type { World } from "../search/world.ts";
import { wordsPerPage } from "../synthetic/library.ts";

export const defaultCount = 100_000;

/** Rows per transaction. */
const perTransaction = 500;
const customers = 1_000;

/** Inserts datasets with metadata, bypassing the stores' own transactions, each of which would wait for the disk. */
export async function enterDatasets(
  place: RowsPlace,
  workspaceId: WorkspaceId,
  count: number,
): Promise<readonly Dataset[]> {
  const now = Date.now();
  const datasets = Array.from({ length: count }, (_, at) =>
    newDataset({
      id: newDatasetId(),
      workspaceId,
      fileName: `report-${at}.pdf`,
      kind: { fileExt: "pdf", mimeType: "application/pdf" },
      stored: { size: 10_000, sha256: "0".repeat(64) },
      expiresInDays: undefined,
      metadata: metadataOf(at),
      now: now - (count - at) * 1_000,
    }),
  );
  const { db, close } = await openRows(place);
  try {
    for (let from = 0; from < datasets.length; from += perTransaction) {
      await db.transaction().execute(async (trx) => {
        for (const dataset of datasets.slice(from, from + perTransaction)) {
          const job = newJob(workspaceId, dataset.id, "datasets/vectorize", dataset.createdAt);
          await insertDataset(trx, { ...dataset, itemCount: 1 }, { ...job, status: "SUCCESS", finishedAt: now });
        }
      });
    }
    // PostgreSQL would update its statistics by itself, but only within a minute.
    if (place.url !== undefined) await sql`analyze`.execute(db);
  } finally {
    await close();
  }
  return datasets;
}

/** Returns metadata that is spread so that datasets created one after another have nothing in common. */
function metadataOf(at: number): Dataset["metadata"] {
  const spread = (at * 7_919) % defaultCount;
  return {
    customer: spread % customers,
    year: 2000 + (spread % 30),
    tenth: spread % 10,
    hundredth: spread % 100,
    tenThousandth: spread % 10_000,
    tags: [`tag${spread % 7}`, `tag${spread % 11}`],
    title: `Report of the department ${spread % 50}`,
    draft: spread % 2 === 0,
  };
}

/** Filters by the share of the datasets that passes them. */
export const shares: readonly (readonly [share: string, filter: unknown])[] = [
  ["10 %", { tenth: 3 }],
  ["1 %", { hundredth: 3 }],
  ["0.01 %", { tenThousandth: 3 }],
];

/** Datasets whose rows are written together. */
const atOnce = 5_000;
/** Fewer than real pages have: the cost of filters does not depend on them. */
const vectorsPerPage = 2;
const generation = "";

/** Adds a page of each dataset to the spaces of the pack, and the searchable text of its document. */
export async function indexDatasets(
  { pack, words, vectors, workspaceId, textSpace }: World,
  { vectors: store, features: codec }: Pick<Stores, "vectors" | "features">,
  datasets: readonly Dataset[],
): Promise<void> {
  const { dimensions } = textSpace;
  const written: LexicalRow[] = [];
  for (const { id } of datasets) {
    const index = { workspaceId, datasetId: id, generation };
    const text = words.text(wordsPerPage);
    const spaces = pack.spaces.flatMap((space): PageInSpace[] => {
      if (space.kind === "lexical") return [{ space: space.name, kind: "lexical", words: text }];
      if (space.name !== textSpace.name) return [];
      const page = vectors.page(vectors.document(dimensions), vectorsPerPage, 0);
      return [{ space: space.name, kind: "dense", vectors: page }];
    });
    await store.put(pack, codec.make(pack.spaces, [{ page: 1, spaces }], index), index);
    for (const page of Object.values(documentRows)) {
      written.push({ ...index, page, words: page === documentRows.name ? "report" : text });
    }
  }
  for (let from = 0; from < written.length; from += atOnce)
    await store.putDocuments(pack, written.slice(from, from + atOnce));
  await store.maintain();
}
