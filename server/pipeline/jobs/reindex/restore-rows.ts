import { featuresOf } from "../../../domain/ports/features.ts";
import { putRows } from "../document/put-rows.ts";
import { readPart } from "../document/read-part.ts";
import type { JobContext } from "../context.ts";
import type { IndexingRun, OpenIndex } from "./claimed-index.ts";

/**
 * Makes rows of pages out of their features. Gives the pages of which there are none: their parts were never kept, or are lost or
 * damaged, and then are taken off the list.
 */
export async function restoreRows(
  context: JobContext,
  { dataset, pack, generation }: OpenIndex,
  pages: readonly number[],
  { signal, turn }: IndexingRun,
): Promise<readonly number[]> {
  const { metadata, vectors, maintenance, clock, log } = context;
  const index = { datasetId: dataset.id, workspaceId: dataset.workspaceId, generation };
  const left = new Set(pages);
  // Of a page that several parts have, the last one counts.
  for (const part of (await metadata.features.parts(index)).toReversed()) {
    if (!part.pages.some((page) => left.has(page))) continue;
    await turn();
    signal.throwIfAborted();
    const features = await readPart(context, pack.spaces, part, index);
    if (features === undefined) {
      log.warn(
        { datasetId: dataset.id, part: part.key },
        "features are lost or damaged; their pages are embedded again",
      );
      await metadata.features.remove(index, [part.key], clock());
      continue;
    }
    await putRows(vectors, pack.spaces, featuresOf(features, left), index);
    maintenance.request();
    for (const page of features.pages) left.delete(page);
  }
  return pages.filter((page) => left.has(page));
}
