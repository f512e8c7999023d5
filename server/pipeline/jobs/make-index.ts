import { convertedKey, type Dataset, originalKey } from "../../domain/datasets/dataset.ts";
import { kindOfExt } from "../../domain/documents/kind.ts";
import { conflict } from "../../domain/errors.ts";
import type { LocalFile } from "../../domain/ports/blobs.ts";
import type { ClaimedIndex, IndexLease } from "../../domain/ports/packs.ts";
import { DocumentError } from "../errors.ts";
import { type ChosenPack, openPack } from "./chosen-pack.ts";
import type { JobContext } from "./context.ts";
import { crashReason, planPages } from "./crashes.ts";
import { groups, type Outcome, putLimits, putSpace } from "./embed.ts";
import { createBatcher } from "./flush.ts";
import { trackInFlight } from "./in-flight.ts";
import { type HeldLease, LeaseLost } from "./lease.ts";

interface Making {
  readonly held: HeldLease<IndexLease>;
  /** The process ends. */
  readonly stopping: AbortSignal;
  /** Waits until it is this work's turn; throws when it will not be any more. */
  readonly turn: () => Promise<void>;
}

/** Few enough that users' jobs need not wait long for the threads. */
const pagesAtOnce = 32;

/**
 * Embeds the pages of a dataset with another pack than the one that it is served from, beginning where an earlier run
 * was interrupted. Vectors are written before the mark that says so; writing them again after a crash replaces them.
 * Throws `DocumentError` or `DomainError` if the dataset has to stay with its pack, `LeaseLost` if it is gone.
 */
export async function makeIndex(context: JobContext, { lease, crashes }: ClaimedIndex, making: Making): Promise<void> {
  const { metadata, vectors, clock } = context;
  const dataset = await metadata.datasets.getUnscoped(lease.datasetId, clock());
  if (dataset === undefined) throw new LeaseLost(`dataset ${lease.datasetId} is gone`);
  const chosen = await openPack(context, lease.pack);
  if (chosen === undefined) throw conflict(`the model pack ${lease.pack} is not on the worker's machine`);
  const before = await metadata.indices.countMarked(dataset.id, lease.pack);
  // What an index that was given up has left behind.
  if (before.embedded + before.failed === 0) await vectors.removeDataset(dataset.id, { pack: lease.pack });
  const missing = await metadata.indices.unmarked(dataset.id, lease.pack);
  if (missing.length === 0) return;
  const pdf = await openStoredPdf(context, dataset);
  try {
    await embedAnew(context, { ...making, ...chosen, dataset, file: pdf.path, plan: planPages(missing, crashes) });
  } finally {
    await pdf.release();
  }
  await refuseLoss(context, dataset, lease);
}

interface Anew extends Making, ChosenPack {
  readonly dataset: Dataset;
  readonly file: string;
  readonly plan: ReturnType<typeof planPages>;
}

async function embedAnew(context: JobContext, anew: Anew): Promise<void> {
  const { held, stopping, turn, pack, packDir, dataset, file, plan } = anew;
  const { metadata, pool, vectors, maintenance, clock } = context;
  const inFlight = trackInFlight(metadata.indices, held);
  const put = createBatcher<Outcome>(putLimits, async (outcomes) => {
    const embedded = outcomes.flatMap((outcome) => ("spaces" in outcome ? [outcome] : []));
    await held.check();
    held.lost.throwIfAborted();
    stopping.throwIfAborted();
    await Promise.all(pack.spaces.map((space) => putSpace(vectors, dataset, space, embedded)));
    maintenance.request();
    const marks = outcomes.map((outcome) => ({
      page: outcome.page,
      failure: "reason" in outcome ? outcome.reason : null,
    }));
    await held.confirm(metadata.indices.mark(held.lease, marks, clock()));
  });
  // What fails here ends the work after the pages that are at work, not at once: a thread that is ended in the middle of a
  // model's run can take the process along, and with it what others are waiting for.
  let failure: { readonly cause: unknown } | undefined;
  const quietly = async (work: () => Promise<void>): Promise<void> => {
    if (failure !== undefined) return;
    await work().catch((cause: unknown) => (failure = { cause }));
  };
  const on = {
    start: (pages: readonly number[]) => quietly(() => inFlight.start(pages)),
    async page(outcome: Outcome) {
      inFlight.end(outcome.page);
      await quietly(() => put.add(outcome));
    },
  };
  for (const page of plan.fatal) await put.add({ page, reason: crashReason });
  for (const pages of [...groups(plan.clean, pagesAtOnce), ...plan.suspects.map((page) => [page])]) {
    await turn();
    const words = await metadata.pages.words(dataset.id, pages);
    const task = { file, packDir, pages: pages.map((page) => ({ page, words: words.get(page) ?? "" })) };
    await pool.embedPages(task, on, stopping);
    if (failure !== undefined) throw failure.cause;
  }
  await put.flush();
  await inFlight.clear();
}

/** The document as a PDF, as the job that vectorized it has left it. */
async function openStoredPdf({ blobs }: JobContext, { id, fileExt }: Dataset): Promise<LocalFile> {
  const isPdf = kindOfExt(fileExt)?.format === "pdf";
  const file = await blobs.asFile(isPdf ? originalKey(id) : convertedKey(id));
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
