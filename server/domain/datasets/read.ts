import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { notFound } from "../errors.ts";
import { parseDatasetId } from "../ids.ts";
import { type Dataset, publicId, type DatasetType } from "./dataset.ts";
import { sees, viewOf } from "./view.ts";
import { readFilter } from "../filters/read.ts";
import { type DatasetSort, datasetSorts } from "../ports/datasets.ts";
import { type ListResult, parseSort } from "../list.ts";
import { defaultShareSeconds, type Share } from "../shares/links.ts";

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

export interface SharedDataset extends Dataset {
  /** Whether searches find its pages. */
  readonly isSearchable: boolean;
  readonly share: Share;
}

export interface ListDatasetsInput {
  readonly types: readonly DatasetType[];
  /** Hexadecimal; empty for any content. */
  readonly sha256: readonly string[];
  /** JSON of a filter on their metadata; undefined for all. */
  readonly filter: unknown;
  /** Without a dot, in any case; empty for every format. */
  readonly fileExts: readonly string[];
  /** Only datasets that are searchable, or only those that are not; undefined for all. */
  readonly isSearchable: boolean | undefined;
  readonly sort: readonly string[];
  readonly offset: number;
  readonly limit: number | undefined;
  readonly expiresInSeconds: number | undefined;
}

/** Lists the datasets that the caller sees, each with a share link. */
export async function listDatasets(
  domain: Domain,
  { caller, input }: { caller: Caller; input: ListDatasetsInput },
): Promise<ListResult<SharedDataset>> {
  const query = {
    workspaceId: caller.workspaceId,
    types: input.types,
    sha256: input.sha256.map((sum) => sum.toLowerCase()),
    filter: viewOf(caller, input.filter === undefined ? undefined : readFilter(input.filter)),
    fileExts: input.fileExts.map((ext) => ext.toLowerCase()),
    isSearchable: input.isSearchable,
    sort: parseSort<DatasetSort>(input.sort, datasetSorts).keys,
    offset: input.offset,
    limit: input.limit ?? defaultLimit,
    now: domain.clock(),
  };
  const { total, data } = await readWhole(domain, caller, () => domain.metadata.datasets.list(query));
  return { total, data: await shareDatasets(domain, data, input.expiresInSeconds) };
}

/** Page size of lists if the request names none. */
export const defaultLimit = 10;

export async function shareDatasets(
  { metadata, shareLinks }: Domain,
  datasets: readonly Dataset[],
  expiresInSeconds = defaultShareSeconds,
): Promise<readonly SharedDataset[]> {
  const [links, searchable] = await Promise.all([
    shareLinks.create(datasets, expiresInSeconds),
    metadata.datasets.searchable(datasets.map(({ id }) => id)),
  ]);
  return datasets.flatMap((dataset, index) => {
    const share = links[index];
    return share === undefined ? [] : [{ ...dataset, share, isSearchable: searchable.has(dataset.id) }];
  });
}

/** Longer than a worker needs between noting the time of a new version and committing its transaction, ms. */
const commitMs = 5_000;

/**
 * Runs a read of several steps. If a version was replaced by a newer one in the meantime, the document could be
 * missing from the result, so it is read again.
 */
export async function readWhole<Result>(
  { metadata, clock }: Pick<Domain, "clock"> & { readonly metadata: { readonly datasets: Versions } },
  { workspaceId }: Pick<Caller, "workspaceId">,
  read: () => Promise<Result>,
): Promise<Result> {
  const since = clock() - commitMs;
  const result = await read();
  return (await metadata.datasets.isReplacedSince(workspaceId, since)) ? read() : result;
}

type Versions = Pick<Domain["metadata"]["datasets"], "isReplacedSince">;
