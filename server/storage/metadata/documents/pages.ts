import type { Kysely } from "kysely";
import type { DatasetId } from "../../../domain/ids.ts";
import type { PageFailure } from "../../../domain/jobs/job.ts";
import type { Lease } from "../../../domain/ports/jobs.ts";
import type { PageRecord, PageStore } from "../../../domain/ports/pages.ts";
import { batches, rowsPerTransaction } from "../batches.ts";
import { listPart } from "../indices/features.ts";
import { underLease } from "../queue/claims.ts";
import { isDatasetThere } from "./dataset-rows.ts";
import { foundMethod } from "./found-pages.ts";
import { itemMethods } from "./items.ts";
import {
  everything,
  inPieces,
  isMarked,
  isReadable,
  isUnembedded,
  numbers,
  hasFailed,
  compressWords,
  expandWords,
} from "./page-rows.ts";
import type { Schema } from "../schema.ts";

export function pageStore(db: Kysely<Schema>): PageStore {
  return {
    ...itemMethods(db),
    found: foundMethod(db),
    ...marks(db),
    ...contents(db),

    finished: (datasetId) => numbers(db, datasetId, everything),
    readable: (datasetId) => numbers(db, datasetId, isReadable),

    // Each page is two rows: the page and its words. If a page is named twice, the last record counts.
    save: (lease, datasetId, pages, now) =>
      batchesUnderLease(db, lease, batches(lastOfEach(pages), rowsPerTransaction / 2), (trx, batch) =>
        savePages(trx, datasetId, batch, now),
      ),
  };
}

/** Runs the write for each batch as long as the lease holds; returns false once it does not. */
async function batchesUnderLease<Row>(
  db: Kysely<Schema>,
  lease: Lease,
  pieces: Iterable<Row[]>,
  write: (trx: Kysely<Schema>, batch: Row[]) => Promise<void>,
): Promise<boolean> {
  const runs = [...pieces];
  // Without rows, one empty batch still checks whether the lease holds.
  for (const batch of runs.length === 0 ? [[]] : runs) {
    const held = await underLease(db, lease, async (trx) => {
      if (batch.length > 0) await write(trx, batch);
    });
    if (!held) return false;
  }
  return true;
}

type Marks = Pick<
  PageStore,
  "embedded" | "unembedded" | "markEmbedded" | "noteFailures" | "clearEmbedded" | "clearFailures"
>;

/** Marks pages as embedded or failed, and clears these marks. */
function marks(db: Kysely<Schema>): Marks {
  return {
    async embedded(datasetId) {
      const rows = await inPieces(db, datasetId, (piece) =>
        piece.select(["page", "absentFrom"]).where("embeddedAt", "is not", null).execute(),
      );
      return rows.map(({ page, absentFrom }) => ({ page, absentFrom: absentFrom === "" ? [] : absentFrom.split(",") }));
    },

    unembedded: (datasetId) => numbers(db, datasetId, isUnembedded),

    markEmbedded: (lease, datasetId, pages, now, { absentFrom: absences = new Map(), part } = {}) =>
      batchesUnderLease(db, lease, batches(pages), async (trx, batch) => {
        // The transaction of the first batch lists the part: its bytes are durable by now, and later batches find it
        // listed.
        if (part !== undefined && batch[0] === pages[0]) await listPart(trx, { datasetId, ...part }, part);
        const alike = Map.groupBy(batch, (page) => (absences.get(page) ?? []).join(","));
        for (const [absentFrom, some] of alike) {
          await trx
            .updateTable("pages")
            .set({ embeddedAt: now, embedFailure: null, absentFrom })
            .where("datasetId", "=", datasetId)
            .where("page", "in", some)
            .where("failure", "is", null)
            .execute();
        }
      }),

    noteFailures: (lease, datasetId, stage, failures) =>
      batchesUnderLease(db, lease, batches(failures), async (trx, batch) => {
        for (const { page, reason } of batch) {
          await trx
            .updateTable("pages")
            .set(stage === "embed" ? { embedFailure: reason, embeddedAt: null } : { renderFailure: reason })
            .where("datasetId", "=", datasetId)
            .where("page", "=", page)
            .where("failure", "is", null)
            .execute();
        }
      }),

    async clearEmbedded(lease, datasetId) {
      const marked = await numbers(db, datasetId, isMarked);
      return batchesUnderLease(db, lease, batches(marked), async (trx, batch) => {
        await trx
          .updateTable("pages")
          .set({ embeddedAt: null, embedFailure: null })
          .where("datasetId", "=", datasetId)
          .where("page", "in", batch)
          .execute();
      });
    },

    async clearFailures(lease, datasetId) {
      const failed = await numbers(db, datasetId, hasFailed);
      const cleared = await batchesUnderLease(db, lease, batches(failed), async (trx, batch) => {
        // A page that could not be read has no content besides its failure, so its row is removed.
        await trx
          .deleteFrom("pages")
          .where("datasetId", "=", datasetId)
          .where("page", "in", batch)
          .where("failure", "is not", null)
          .execute();
        await trx
          .updateTable("pages")
          .set({ embedFailure: null, renderFailure: null })
          .where("datasetId", "=", datasetId)
          .where("page", "in", batch)
          .execute();
      });
      if (!cleared) return false;
      return underLease(db, lease, async (trx) => {
        await trx.updateTable("jobs").set({ retriesFailures: 0 }).where("id", "=", lease.jobId).execute();
      });
    },
  };
}

/** Reads the stored contents of pages, and the reasons for failed pages. */
function contents(db: Kysely<Schema>): Pick<PageStore, "stored" | "words" | "failures"> {
  return {
    async stored(datasetId, after, limit) {
      const rows = await db
        .selectFrom("pages")
        .leftJoin("pageWords", (join) =>
          join.onRef("pageWords.datasetId", "=", "pages.datasetId").onRef("pageWords.page", "=", "pages.page"),
        )
        .selectAll("pages")
        .select("pageWords.words")
        .where("pages.datasetId", "=", datasetId)
        .where("pages.page", ">", after)
        .orderBy("pages.page")
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        page: row.page,
        width: row.width,
        height: row.height,
        words: row.words === null ? "" : expandWords(row.words),
        failure: row.failure,
        embedFailure: row.embedFailure,
        renderFailure: row.renderFailure,
        createdAt: row.createdAt,
        embeddedAt: row.embeddedAt,
        absentFrom: row.absentFrom === "" ? [] : row.absentFrom.split(","),
      }));
    },

    async words(datasetId, pages) {
      const words = new Map<number, string>();
      for (const batch of batches(new Set(pages))) {
        const rows = await db
          .selectFrom("pageWords")
          .select(["page", "words"])
          .where("datasetId", "=", datasetId)
          .where(isDatasetThere)
          .where("page", "in", batch)
          .execute();
        for (const row of rows) words.set(row.page, expandWords(row.words));
      }
      return words;
    },

    async failures(datasetIds) {
      const failures = new Map<DatasetId, PageFailure[]>();
      for (const batch of batches(new Set(datasetIds))) {
        const rows = await db
          .selectFrom("pages")
          .select(["datasetId", "page", "failure", "embedFailure", "renderFailure"])
          .where("datasetId", "in", batch)
          .where(isDatasetThere)
          .where(hasFailed)
          .orderBy("datasetId")
          .orderBy("page")
          .execute();
        for (const { datasetId, page, failure, embedFailure, renderFailure } of rows) {
          const reason = [failure, embedFailure, renderFailure].filter((text) => text !== null).join("; ");
          const known = failures.get(datasetId);
          if (known === undefined) failures.set(datasetId, [{ page, reason }]);
          else known.push({ page, reason });
        }
      }
      return failures;
    },
  };
}

function lastOfEach(pages: readonly PageRecord[]): Iterable<PageRecord> {
  return new Map(pages.map((record) => [record.page, record])).values();
}

async function savePages(
  trx: Kysely<Schema>,
  datasetId: DatasetId,
  records: readonly PageRecord[],
  now: number,
): Promise<void> {
  await trx
    .insertInto("pages")
    .values(
      records.map(({ page, width, height, failure }) => ({
        datasetId,
        page,
        width,
        height,
        failure,
        embedFailure: null,
        renderFailure: null,
        createdAt: now,
        embeddedAt: null,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(["datasetId", "page"]).doUpdateSet(({ ref }) => ({
        width: ref("excluded.width"),
        height: ref("excluded.height"),
        failure: ref("excluded.failure"),
        embedFailure: null,
        renderFailure: null,
        createdAt: ref("excluded.createdAt"),
        embeddedAt: null,
      })),
    )
    .execute();
  await trx
    .deleteFrom("pageWords")
    .where("datasetId", "=", datasetId)
    .where(
      "page",
      "in",
      records.map(({ page }) => page),
    )
    .execute();
  const withWords = records.filter(({ words }) => words !== "");
  if (withWords.length === 0) return;
  await trx
    .insertInto("pageWords")
    .values(withWords.map(({ page, words }) => ({ datasetId, page, words: compressWords(words) })))
    .execute();
}
