import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { notFound } from "../errors.ts";
import { parseDatasetId } from "../ids.ts";
import { type Dataset } from "./dataset.ts";
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

/** The caller's dataset. Throws `not_found`, for one that the caller does not see like for an unknown one. */
export async function findDataset({ metadata, clock }: Domain, caller: Caller, id: string): Promise<Dataset> {
  const datasetId = parseDatasetId(id);
  const dataset = datasetId && (await metadata.datasets.get(caller.workspaceId, datasetId, clock()));
  if (dataset === undefined || !sees(caller, dataset)) throw noSuchDataset(id);
  return dataset;
}

export const noSuchDataset = (id: string): Error =>
  notFound(`there is no dataset ${JSON.stringify(id)} in this workspace`);
