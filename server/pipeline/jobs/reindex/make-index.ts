import type { Dataset } from "../../../domain/datasets/dataset.ts";
import type { NewPart } from "../../../domain/ports/features.ts";
import type { ClaimedIndex, IndexLease, PageMark } from "../../../domain/ports/packs.ts";
import { DocumentError } from "../../errors.ts";
import { embedClaimed, type IndexingRun, openClaimed } from "./claimed-index.ts";
import type { JobContext } from "../context.ts";
import { describeDocument } from "../document/describe.ts";
import { openStoredPdf } from "../document/stored-pdf.ts";

/**
 * Embeds the pages of a dataset with a different pack than the one that serves it, and resumes where an earlier run was
 * interrupted. Throws `DocumentError` or `DomainError` if the dataset must stay with its pack, `LeaseLost` if it is gone.
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

/** Throws `DocumentError` if none of the pages that could be found before would be found any more. */
async function refuseLoss({ metadata }: JobContext, { id }: Dataset, { pack }: IndexLease): Promise<void> {
  const { embedded, failed } = await metadata.indices.countMarked(id, pack);
  if (embedded > 0 || failed === 0) return;
  const query = { datasetId: id, row: "embedding_image", ranges: undefined, sort: [], offset: 0, limit: 1 } as const;
  const { total } = await metadata.pages.listItems(query);
  if (total > 0) throw new DocumentError("damaged", `none of its ${failed} pages can be embedded with ${pack}`);
}
