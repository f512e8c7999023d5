import { updateDescriptiveWords } from "../../../domain/documents/descriptive-text.ts";
import type { NewPart } from "../../../domain/ports/features.ts";
import { LeaseLost } from "../lease.ts";
import type { ClaimedIndex, IndexLease, PageMark, RenewalKind } from "../../../domain/ports/packs.ts";
import { DocumentError } from "../../errors.ts";
import { embedClaimed, type IndexingRun, openClaimed, type OpenIndex, openStoredPdf } from "./claimed-index.ts";
import type { JobContext } from "../context.ts";
import { describeDocument } from "../document/describe.ts";
import { dropSuperseded, restoreRows } from "./restore-rows.ts";
import type { Dataset } from "../../../domain/datasets/dataset.ts";

/**
 * Refills an index while it continues to serve searches. `missing`: lost rows are made from the features of their pages, and
 * pages whose features are lost as well are embedded again. `all`: all pages are embedded again. `said`: only the descriptive
 * text is written again. Throws `DocumentError` or `DomainError` if the rebuild is impossible, `LeaseLost` if the dataset is
 * gone.
 */
export async function rebuildIndex(
  context: JobContext,
  claimed: ClaimedIndex & { readonly how: RenewalKind },
  run: IndexingRun,
): Promise<void> {
  const { lease, how } = claimed;
  const isDescribed = how !== "said" && (await refill(context, claimed, run));
  // The descriptive text may have changed since the rebuild was requested.
  if (!isDescribed) await renewDescriptiveText(context, lease);
  await run.held.confirm(context.metadata.indices.rebuilt(lease));
}

/** Refills pages. Returns whether the document has been described as well. */
async function refill(
  context: JobContext,
  claimed: ClaimedIndex & { readonly how: RenewalKind },
  run: IndexingRun,
): Promise<boolean> {
  const { metadata } = context;
  const index = await openClaimed(context, claimed);
  const { dataset } = index;
  if (claimed.how === "all") {
    const pages = (await metadata.pages.embedded(dataset.id)).map(({ page }) => page);
    if (pages.length === 0) return false;
    await embedAgain(context, index, pages, run);
    await dropSuperseded(context, index);
    return true;
  }
  const { lost, words } = await restoreRows(context, index, run);
  if (lost.length > 0) await embedAgain(context, index, lost, run);
  else await describeDocument(context, index, words);
  return true;
}

async function embedAgain(
  context: JobContext,
  index: OpenIndex,
  pages: readonly number[],
  run: IndexingRun,
): Promise<void> {
  const { held } = run;
  const mark = (marks: readonly PageMark[], part?: NewPart) =>
    context.metadata.indices.markRebuilt(held.lease, marks, part);
  const pdf = await openStoredPdf(context, index.dataset).catch(async (cause: unknown) => {
    // Without the document the pages cannot be embedded again.
    if (!(cause instanceof DocumentError)) throw cause;
    await held.confirm(mark(pages.map((page) => ({ page, failure: cause.message }))));
    return undefined;
  });
  if (pdf !== undefined) await embedClaimed(context, index, { pages, pdf, mark }, run);
  await describeDocument(context, index);
}

/** Writes the descriptive text again. This embeds nothing, so the pack's files may be on another machine. */
async function renewDescriptiveText(context: JobContext, { datasetId }: IndexLease): Promise<void> {
  const dataset = await context.metadata.datasets.getUnscoped(datasetId, context.clock());
  if (dataset === undefined) throw new LeaseLost(`dataset ${datasetId} is gone`);
  await updateDescriptiveWords(context, dataset);
}

/**
 * Embeds the pages of a dataset with a different pack than the one that serves it, and resumes where an earlier run was
 * interrupted. Throws `DocumentError` or `DomainError` if the dataset must keep its present pack, and `LeaseLost` if the dataset
 * is gone.
 */
export async function makeIndex(context: JobContext, claimed: ClaimedIndex, run: IndexingRun): Promise<void> {
  const { metadata, clock } = context;
  const { lease } = claimed;
  const index = await openClaimed(context, claimed);
  const { dataset } = index;
  const pages = await metadata.indices.unmarked(dataset.id, claimed.pack);
  if (pages.length > 0) {
    const pdf = await openStoredPdf(context, dataset);
    const mark = (marks: readonly PageMark[], part?: NewPart) => metadata.indices.mark(lease, marks, clock(), part);
    await embedClaimed(context, index, { pages, pdf, mark }, run);
    await refuseLoss(context, dataset, lease);
  }
  await describeDocument(context, index);
}

/** Throws `DocumentError` if the new index would have none of the pages that searches can find now. */
async function refuseLoss({ metadata }: JobContext, { id }: Dataset, { pack }: IndexLease): Promise<void> {
  const { embedded, failed } = await metadata.indices.countMarked(id, pack);
  if (embedded > 0 || failed === 0) return;
  const query = { datasetId: id, row: "embedding_image", ranges: undefined, sort: [], offset: 0, limit: 1 } as const;
  const { total } = await metadata.pages.listItems(query);
  if (total > 0) throw new DocumentError("damaged", `none of its ${failed} pages can be embedded with ${pack}`);
}
