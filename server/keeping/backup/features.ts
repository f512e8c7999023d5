import type { DatasetId } from "../../domain/ids.ts";
import type { Metadata } from "../../domain/ports/metadata.ts";
import type { ServedIndex } from "../../domain/ports/packs.ts";
import { inLanes } from "../lanes.ts";
import { copyBlob, type Documents, lanes, removeMeanwhile } from "./documents.ts";

/** Indices that are looked up together. */
const atOnce = 500;

/**
 * Copies what packs have computed of the pages of a snapshot, of which the restored server makes its index. Gives the number of
 * datasets of which it has to embed pages again. An index that is being made for another pack begins anew there.
 */
export async function copyFeatures(documents: Documents): Promise<number> {
  const { metadata } = documents;
  while ((await metadata.indices.retireStale(Number.MAX_SAFE_INTEGER, atOnce)) > 0);
  for (const { id } of await metadata.packs.list()) await metadata.indices.startOver(id);
  const incomplete = new Set<DatasetId>();
  await inLanes(servedIndices(metadata), lanes, async (index) => {
    if (!(await copyParts(documents, index))) incomplete.add(index.datasetId);
  });
  return incomplete.size;
}

/** Lets the restored server make the index of all datasets; searches say of them that they are incomplete until then. */
export async function enterIndices(metadata: Metadata): Promise<void> {
  let entered: DatasetId[] = [];
  for await (const { datasetId } of servedIndices(metadata)) {
    entered.push(datasetId);
    if (entered.length < atOnce) continue;
    await metadata.indices.rebuild(entered, "missing");
    entered = [];
  }
  await metadata.indices.rebuild(entered, "missing");
}

async function* servedIndices({ packs, indices }: Metadata): AsyncGenerator<ServedIndex> {
  for (const { id } of await packs.list()) {
    let after: DatasetId | undefined;
    for (;;) {
      const some = await indices.served(id, after, atOnce);
      yield* some;
      after = some.at(-1)?.datasetId;
      if (some.length < atOnce) break;
    }
  }
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
