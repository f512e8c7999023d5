import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { notFound } from "../errors.ts";
import { parseDatasetId } from "../ids.ts";
import { type Dataset, publicId } from "./dataset.ts";
import { type SharedDataset, shareDatasets } from "./list.ts";
import { sees } from "./view.ts";

export async function getDataset(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { id: string; expiresInSeconds: number | undefined } },
): Promise<SharedDataset> {
  const dataset = await findDataset(domain, caller, input.id);
  const [shared] = await shareDatasets(domain, [dataset], input.expiresInSeconds);
  if (shared === undefined) throw noSuchDataset(input.id);
  return shared;
}

/** Finds the caller's dataset. Throws `not_found` if it is unknown or the caller may not see it. */
export async function findDataset({ metadata, clock }: Domain, caller: Caller, id: string): Promise<Dataset> {
  const datasetId = parseDatasetId(id);
  const dataset = datasetId && (await metadata.datasets.get(caller.workspaceId, datasetId, clock()));
  if (dataset === undefined || !sees(caller, dataset)) throw noSuchDataset(id);
  return dataset;
}

/**
 * Finds the caller's datasets, by the id that was given. Throws `not_found` as `findDataset` does, for the first
 * that is missing.
 */
export async function findDatasets(
  { metadata, clock }: Pick<Domain, "metadata" | "clock">,
  caller: Pick<Caller, "workspaceId" | "filter">,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Dataset>> {
  const requested = new Map(ids.map((id) => [id, parseDatasetId(id)]));
  const parsed = [...new Set(requested.values())].flatMap((id) => id ?? []);
  const stored = await metadata.datasets.getMany(caller.workspaceId, parsed, clock());
  const visible = stored.filter((dataset) => sees(caller, dataset));
  const seen = new Map(visible.flatMap((dataset) => [dataset.id, publicId(dataset)].map((known) => [known, dataset])));
  const found = new Map<string, Dataset>();
  for (const [id, datasetId] of requested) {
    const dataset = datasetId && seen.get(datasetId);
    if (dataset === undefined) throw noSuchDataset(id);
    found.set(id, dataset);
  }
  return found;
}

export const noSuchDataset = (id: string): Error =>
  notFound(`there is no dataset ${JSON.stringify(id)} in this workspace`, { reason: "DATASET_NOT_FOUND" });
