import type { Drs } from "@drs/client";

/** Reads what a client sees of the given datasets and of its workspace. An upgrade does not change it. */
export async function stateOf(drs: Drs, datasetIds: readonly string[], question: string): Promise<unknown> {
  const datasets = await Promise.all(datasetIds.map((id) => drs.datasets.get(id)));
  const items = await Promise.all(datasetIds.map((id) => Array.fromAsync(drs.items.list(id, { sort: ["col"] }))));
  const hits = await drs.search(question, { limit: 50, datasetIds });
  const { stored, documents } = await drs.usage();
  return {
    // Links are of the address and the time of the question.
    datasets: datasets.map((dataset) => ({ ...dataset, share: undefined })),
    items: items.flat().map(({ id, col, row }) => `${id} ${col} ${row}`),
    hits: hits.map(({ datasetId, col }) => `${datasetId} ${col}`),
    keys: (await drs.keys.list()).map(({ id }) => id),
    stored,
    documents,
  };
}
