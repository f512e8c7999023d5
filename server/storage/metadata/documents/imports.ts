import type { Kysely } from "kysely";
import { convertedKey, originalKey, storedBytes } from "../../../domain/datasets/dataset.ts";
import type { ImportedDataset, ImportStore } from "../../../domain/ports/datasets.ts";
import { batches, rowsPerTransaction } from "../batches.ts";
import { unheld } from "../queue/claims.ts";
import type { Schema } from "../schema.ts";
import { fitsQuota } from "../tenants/usage.ts";
import { inTransaction } from "../transaction.ts";
import { compressWords } from "./page-rows.ts";
import { insertDataset } from "./dataset-rows.ts";
import { forgetFeatures, listImported } from "../indices/features.ts";
import { keepBlob, keepRows } from "./garbage.ts";
import { servedRow } from "./versions.ts";

export function importStore(db: Kysely<Schema>): ImportStore {
  return {
    async putPages(datasetId, pages) {
      // Each page is two rows: the page and its words.
      for (const batch of batches(pages, rowsPerTransaction / 2)) {
        await inTransaction(db, async (trx) => {
          const numbers = batch.map(({ page }) => page);
          for (const table of ["pages", "pageWords"] as const)
            await trx.deleteFrom(table).where("datasetId", "=", datasetId).where("page", "in", numbers).execute();
          await trx
            .insertInto("pages")
            .values(
              batch.map((page) => ({
                datasetId,
                page: page.page,
                width: page.width,
                height: page.height,
                failure: page.failure,
                embedFailure: page.embedFailure,
                renderFailure: page.renderFailure,
                createdAt: page.createdAt,
                embeddedAt: page.embeddedAt,
                absentFrom: page.absentFrom.join(","),
              })),
            )
            .execute();
          const withWords = batch.filter(({ words }) => words !== "");
          if (withWords.length === 0) return;
          await trx
            .insertInto("pageWords")
            .values(withWords.map(({ page, words }) => ({ datasetId, page, words: compressWords(words) })))
            .execute();
        });
      }
    },

    complete: (imported) => inTransaction(db, (trx) => complete(trx, imported)),
  };
}

async function complete(
  trx: Kysely<Schema>,
  { dataset, job, pages, index }: ImportedDataset,
): Promise<Awaited<ReturnType<ImportStore["complete"]>>> {
  const { id, workspaceId } = dataset;
  if (!(await fitsQuota(trx, workspaceId, storedBytes(dataset)))) return "over quota";
  for (const [table, taken] of [
    ["datasets", id],
    ["jobs", job.id],
  ] as const) {
    if ((await trx.selectFrom(table).select("id").where("id", "=", taken).executeTakeFirst()) !== undefined)
      return "taken";
  }
  if ((await servedRow(trx, id).select("id").executeTakeFirst()) !== undefined) return "taken";
  const { count } = await trx
    .selectFrom("pages")
    .select(({ fn }) => fn.countAll<number | string>().as("count"))
    .where("datasetId", "=", id)
    .executeTakeFirstOrThrow();
  if (Number(count) !== pages) return "pages lost";
  await insertDataset(trx, dataset, job);
  await forgetFeatures(trx, id);
  if (index !== undefined) {
    const { pack, generation, parts } = index;
    await trx
      .insertInto("indices")
      .values({
        pack,
        generation,
        ...unheld,
        datasetId: id,
        workspaceId,
        role: "served",
        failure: null,
        removeAt: null,
        retryAt: null,
        tries: 0,
        rebuild: "missing",
      })
      .execute();
    await listImported(trx, { datasetId: id, generation }, parts);
  }
  await keepBlob(trx, originalKey(dataset));
  await keepBlob(trx, convertedKey(dataset));
  await keepRows(trx, id, index?.generation);
  return "imported";
}
