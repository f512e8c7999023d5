import { renewWordsAbout } from "../../../domain/documents/said.ts";
import { compareIndex } from "../../../domain/index/compare.ts";
import type { DatasetId } from "../../../domain/ids.ts";
import type { PackRanking } from "../../../domain/ports/pack-ranking.ts";
import { LeaseLost } from "../lease.ts";
import type { ClaimedIndex, IndexLease, PageMark, RenewalKind } from "../../../domain/ports/packs.ts";
import { DocumentError } from "../../errors.ts";
import { embedClaimed, type IndexingRun, openClaimed } from "./claimed-index.ts";
import type { JobContext } from "../context.ts";
import { describeDocument } from "../document/describe.ts";
import { openStoredPdf } from "../document/stored-pdf.ts";

/**
 * Embeds pages again whose rows in the index are lost, or all pages of the dataset, into the index that goes on serving
 * it; or only what is said of its document. Throws `DocumentError` or `DomainError` if that cannot be, `LeaseLost` if the dataset is gone.
 */
export async function rebuildIndex(
  context: JobContext,
  claimed: ClaimedIndex & { readonly how: RenewalKind },
  run: IndexingRun,
): Promise<void> {
  const { metadata } = context;
  const { lease, how } = claimed;
  const { held } = run;
  if (how === "said") {
    await renewSaid(context, lease);
    return held.confirm(metadata.indices.rebuilt(lease));
  }
  const index = await openClaimed(context, claimed);
  const { dataset } = index;
  const pages =
    how === "all"
      ? (await metadata.pages.embedded(dataset.id)).map(({ page }) => page)
      : await missingPages(context, index.pack, dataset.id);
  if (pages.length === 0) {
    // It may have changed since the index is to be filled again.
    await renewSaid(context, lease);
    return held.confirm(metadata.indices.rebuilt(lease));
  }
  const mark = (marks: readonly PageMark[]) => metadata.indices.markRebuilt(lease, marks);
  const pdf = await openStoredPdf(context, dataset).catch(async (cause: unknown) => {
    // Without the document the pages cannot be embedded again.
    if (!(cause instanceof DocumentError)) throw cause;
    await held.confirm(mark(pages.map((page) => ({ page, failure: cause.message }))));
    return undefined;
  });
  if (pdf !== undefined) await embedClaimed(context, index, { pages, pdf, mark }, run);
  await describeDocument(context, index);
  await held.confirm(metadata.indices.rebuilt(lease));
}

/** The pack's files may be elsewhere: nothing is embedded. */
async function renewSaid(context: JobContext, { datasetId }: IndexLease): Promise<void> {
  const dataset = await context.metadata.datasets.getUnscoped(datasetId, context.clock());
  if (dataset === undefined) throw new LeaseLost(`dataset ${datasetId} is gone`);
  await renewWordsAbout(context, dataset);
}

async function missingPages(context: JobContext, pack: PackRanking, datasetId: DatasetId): Promise<readonly number[]> {
  const missing = new Set<number>();
  for (const space of pack.spaces) {
    for await (const difference of compareIndex(context, space, datasetId)) {
      if (difference.kind === "missing") for (const page of difference.pages) missing.add(page);
    }
  }
  return [...missing].toSorted((one, other) => one - other);
}
