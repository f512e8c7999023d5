import { convertedKey, type Dataset, originalKey } from "../../domain/datasets/dataset.ts";
import { kindOfExt } from "../../domain/documents/kind.ts";
import { conflict } from "../../domain/errors.ts";
import type { LocalFile } from "../../domain/ports/blobs.ts";
import type { Absences } from "../../domain/ports/metadata.ts";
import type { ClaimedIndex, IndexLease, PageMark } from "../../domain/ports/packs.ts";
import { DocumentError } from "../errors.ts";
import { openPack } from "./chosen-pack.ts";
import type { JobContext } from "./context.ts";
import { embedInto, type Outcome } from "./embed-into.ts";
import { trackInFlight } from "./in-flight.ts";
import { type HeldLease, LeaseLost } from "./lease.ts";
import { planPages } from "./plan.ts";

export interface Making {
  readonly held: HeldLease<IndexLease>;
  /** Ends the work: the claim is over or the worker is stopping. */
  readonly signal: AbortSignal;
  /** The worker is stopping: what is given up otherwise ends with the pages that are at work. */
  readonly abort: AbortSignal;
  /** Waits until it is this work's turn; throws when it will not be any more. */
  readonly turn: () => Promise<void>;
}

/**
 * Embeds the pages of a dataset with another pack than the one that it is served from, beginning where an earlier run
 * was interrupted. Throws `DocumentError` or `DomainError` if the dataset has to stay with its pack, `LeaseLost` if it is
 * gone.
 */
export async function makeIndex(context: JobContext, claimed: ClaimedIndex, making: Making): Promise<void> {
  const { metadata, clock } = context;
  const { lease, pack: packId, generation, suspects } = claimed;
  const dataset = await metadata.datasets.getUnscoped(lease.datasetId, clock());
  if (dataset === undefined) throw new LeaseLost(`dataset ${lease.datasetId} is gone`);
  const chosen = await openPack(context, packId);
  if (chosen === undefined) throw conflict(`the model pack ${packId} is not on the worker's machine`);
  const missing = await metadata.indices.unmarked(dataset.id, packId);
  if (missing.length === 0) return;
  const { held } = making;
  const pdf = await openStoredPdf(context, dataset);
  try {
    await embedInto(context, {
      ...making,
      ...chosen,
      generation,
      dataset,
      file: pdf.path,
      plan: planPages(missing, suspects),
      inFlight: trackInFlight(metadata.indices, held),
      async mark(outcomes, absences) {
        await held.confirm(metadata.indices.mark(lease, marksOf(outcomes, absences), clock()));
      },
    });
  } finally {
    await pdf.release();
  }
  await refuseLoss(context, dataset, lease);
}

/** What became of pages, as the rows of an index say it. */
export const marksOf = (outcomes: readonly Outcome[], absences: Absences): readonly PageMark[] =>
  outcomes.map((outcome) => ({
    page: outcome.page,
    failure: "reason" in outcome ? outcome.reason : null,
    absentFrom: absences.get(outcome.page),
  }));

/** The document as a PDF, as the job that vectorized it has left it. */
export async function openStoredPdf({ blobs }: JobContext, dataset: Dataset): Promise<LocalFile> {
  const isPdf = kindOfExt(dataset.fileExt)?.format === "pdf";
  const file = await blobs.asFile(isPdf ? originalKey(dataset) : convertedKey(dataset));
  if (file === undefined) throw new DocumentError("damaged", "the document's file is no longer in the blob store");
  return file;
}

/** Throws `DocumentError` if none of the pages that could be found until now would be found any more. */
async function refuseLoss({ metadata }: JobContext, { id }: Dataset, { pack }: IndexLease): Promise<void> {
  const { embedded, failed } = await metadata.indices.countMarked(id, pack);
  if (embedded > 0 || failed === 0) return;
  const query = { datasetId: id, row: "embedding_image", ranges: undefined, sort: [], offset: 0, limit: 1 } as const;
  const { total } = await metadata.pages.listItems(query);
  if (total > 0) throw new DocumentError("damaged", `none of its ${failed} pages can be embedded with ${pack}`);
}
