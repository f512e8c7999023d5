import { compareIndex } from "../../domain/index/compare.ts";
import type { ClaimedIndex, RebuildKind } from "../../domain/ports/packs.ts";
import type { PackInUse } from "../../domain/ports/pack.ts";
import type { DatasetId } from "../../domain/ids.ts";
import { conflict } from "../../domain/errors.ts";
import { DocumentError } from "../errors.ts";
import { openPack } from "./chosen-pack.ts";
import type { JobContext } from "./context.ts";
import { embedInto } from "./embed-into.ts";
import { trackInFlight } from "./in-flight.ts";
import { LeaseLost } from "./lease.ts";
import { type Making, marksOf, openStoredPdf } from "./make-index.ts";
import { planPages } from "./plan.ts";

/**
 * Embeds pages again whose rows in the index are lost, or all pages of the dataset, into the index that goes on serving
 * it. Throws `DocumentError` or `DomainError` if that cannot be, `LeaseLost` if the dataset is gone.
 */
export async function rebuildIndex(
  context: JobContext,
  claimed: ClaimedIndex & { readonly how: RebuildKind },
  making: Making,
): Promise<void> {
  const { metadata, clock } = context;
  const { lease, pack: packId, generation, suspects, how } = claimed;
  const { held } = making;
  const dataset = await metadata.datasets.getUnscoped(lease.datasetId, clock());
  if (dataset === undefined) throw new LeaseLost(`dataset ${lease.datasetId} is gone`);
  const chosen = await openPack(context, packId);
  if (chosen === undefined) throw conflict(`the model pack ${packId} is not on the worker's machine`);
  const pages =
    how === "all"
      ? (await metadata.pages.embedded(dataset.id)).map(({ page }) => page)
      : await missingPages(context, chosen.pack, dataset.id);
  if (pages.length === 0) return held.confirm(metadata.indices.rebuilt(lease));
  const pdf = await openStoredPdf(context, dataset).catch(async (cause: unknown) => {
    // Without the document the pages cannot be had again.
    if (!(cause instanceof DocumentError)) throw cause;
    const marks = pages.map((page) => ({ page, failure: cause.message }));
    await held.confirm(metadata.indices.markRebuilt(lease, marks));
    return undefined;
  });
  if (pdf === undefined) return held.confirm(metadata.indices.rebuilt(lease));
  try {
    await embedInto(context, {
      ...making,
      ...chosen,
      generation,
      dataset,
      file: pdf.path,
      plan: planPages(pages, suspects),
      inFlight: trackInFlight(metadata.indices, held),
      async mark(outcomes, absences) {
        await held.confirm(metadata.indices.markRebuilt(lease, marksOf(outcomes, absences)));
      },
    });
  } finally {
    await pdf.release();
  }
  await held.confirm(metadata.indices.rebuilt(lease));
}

async function missingPages(context: JobContext, pack: PackInUse, datasetId: DatasetId): Promise<readonly number[]> {
  const missing = new Set<number>();
  for (const space of pack.spaces) {
    for await (const difference of compareIndex(context, space, datasetId)) {
      if (difference.kind === "missing") for (const page of difference.pages) missing.add(page);
    }
  }
  return [...missing].toSorted((one, other) => one - other);
}
