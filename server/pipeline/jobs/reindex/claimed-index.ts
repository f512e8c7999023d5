import { convertedKey, type Dataset, originalKey } from "../../../domain/datasets/dataset.ts";
import { conflict } from "../../../domain/errors.ts";
import type { LocalFile } from "../../../domain/ports/blobs.ts";
import type { NewPart } from "../../../domain/ports/features.ts";
import type { ClaimedIndex, IndexLease, PageMark } from "../../../domain/ports/packs.ts";
import { type ChosenIndex, openPack } from "../document/chosen-pack.ts";
import type { JobContext } from "../context.ts";
import { embedInto } from "../document/embed-pages.ts";
import type { Outcome } from "../document/put-pages.ts";
import { planPages } from "../document/suspects.ts";
import { type HeldLease, LeaseLost, trackInFlight } from "../lease.ts";
import { kindOfExt } from "../../../domain/documents/kind.ts";
import { DocumentError } from "../../errors.ts";

/** Work under a claim on a dataset's index. */
export interface IndexingRun {
  readonly held: HeldLease<IndexLease>;
  /** Ends the work because the claim is over or the worker is stopping. */
  readonly signal: AbortSignal;
  /** Aborts when the worker is stopping. Work that ends for another reason finishes its current pages. */
  readonly abort: AbortSignal;
  /** Waits until it is this work's turn; throws if that can no longer happen. */
  readonly turn: () => Promise<void>;
}

/** A claimed index with everything that embedding its pages needs. */
export interface OpenIndex extends ChosenIndex {
  readonly dataset: Dataset;
  readonly suspects: readonly number[];
}

/** Opens a claimed index. Throws `LeaseLost` if the dataset is gone, `DomainError` if its pack is not on this machine. */
export async function openClaimed(
  context: JobContext,
  { lease, pack, generation, suspects }: ClaimedIndex,
): Promise<OpenIndex> {
  const { metadata, clock } = context;
  const dataset = await metadata.datasets.getUnscoped(lease.datasetId, clock());
  if (dataset === undefined) throw new LeaseLost(`dataset ${lease.datasetId} is gone`);
  const chosen = await openPack(context, pack);
  if (chosen === undefined) throw conflict(`the model pack ${pack} is not on the worker's machine`);
  return { ...chosen, generation, dataset, suspects };
}

/** Pages of a document to embed into an index. */
interface ClaimedPages {
  readonly pages: readonly number[];
  /** The document as a PDF, which is released at the end. */
  readonly pdf: LocalFile;
  /** Records the outcomes of pages. Returns false if the lease is lost. */
  mark(marks: readonly PageMark[], part?: NewPart): Promise<boolean>;
}

/** Embeds pages into a claimed index, and records the outcome of each. Throws `LeaseLost`. */
export async function embedClaimed(
  context: JobContext,
  { suspects, ...index }: OpenIndex,
  { pages, pdf, mark }: ClaimedPages,
  run: IndexingRun,
): Promise<void> {
  const { held } = run;
  try {
    await embedInto(context, {
      ...run,
      ...index,
      file: pdf.path,
      plan: planPages(pages, suspects),
      inFlight: trackInFlight(context.metadata.indices, held),
      mark: (outcomes, absences, part) =>
        held.confirm(
          mark(
            outcomes.map((outcome) => markOf(outcome, absences.get(outcome.page))),
            part,
          ),
        ),
    });
  } finally {
    await pdf.release();
  }
}

/** Returns the outcome of a page as an index records it. */
const markOf = (outcome: Outcome, absentFrom: PageMark["absentFrom"]): PageMark => ({
  page: outcome.page,
  failure: "reason" in outcome ? outcome.reason : null,
  absentFrom,
});

/** Opens the document's PDF that the vectorizing job has stored. Throws `DocumentError` if it is gone. */
export async function openStoredPdf({ blobs }: Pick<JobContext, "blobs">, dataset: Dataset): Promise<LocalFile> {
  const isPdf = kindOfExt(dataset.fileExt)?.format === "pdf";
  const file = await blobs.asFile(isPdf ? originalKey(dataset) : convertedKey(dataset));
  if (file === undefined) throw new DocumentError("damaged", "the document's file is no longer in the blob store");
  return file;
}
