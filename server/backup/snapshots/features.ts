import type { DatasetId } from "../../domain/ids.ts";
import { servedIndices } from "../../domain/index/served.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import type { ServedIndex } from "../../domain/ports/packs.ts";
import { inLanes } from "../map-concurrent.ts";
import { copyBlob, type Documents, lanes, removeMeanwhile } from "./documents.ts";

/** Indices per call. */
const atOnce = 500;

/**
 * Copies the features of a snapshot's pages, from which the restored server builds its index. Returns the number of
 * datasets with pages that it has to embed again. An index that is being built for another pack begins again there.
 */
export async function copyFeatures(documents: Documents): Promise<number> {
  const { metadata } = documents;
  while ((await metadata.indices.retireStale(Number.MAX_SAFE_INTEGER, atOnce)) > 0);
  await metadata.indexTables.forgetAll();
  const incomplete = new Set<DatasetId>();
  await inLanes(indicesOf(metadata), lanes, async (index) => {
    if (!(await copyParts(documents, index))) incomplete.add(index.datasetId);
  });
  return incomplete.size;
}

async function* indicesOf(metadata: Metadata): AsyncGenerator<ServedIndex> {
  for (const { id } of await metadata.packs.list()) for await (const some of servedIndices(metadata, id)) yield* some;
}

/** Whether all embedded pages of the index have their features in the snapshot. */
async function copyParts(documents: Documents, index: ServedIndex): Promise<boolean> {
  const { metadata, live, clock, onProblem } = documents;
  const { datasetId } = index;
  const kept = new Set<number>();
  for (const { key, pages, sha256 } of await metadata.features.parts(index)) {
    const copied = await copyBlob(documents, key);
    if (copied?.sha256 === sha256) {
      for (const page of pages) kept.add(page);
      continue;
    }
    const dataset = live.hasDataset(datasetId) ? undefined : await metadata.datasets.getUnscoped(datasetId, 0);
    if (dataset !== undefined) {
      await removeMeanwhile(documents, dataset);
      return true;
    }
    await metadata.features.remove(index, [key], clock());
    if (live.hasFeatures(key)) {
      const problem = copied === undefined ? "are missing" : "have other bytes than those that were stored";
      onProblem(`features of dataset ${datasetId} (${key}) ${problem}; its pages are embedded again`);
    }
  }
  return (await metadata.pages.embedded(datasetId)).every(({ page }) => kept.has(page));
}
