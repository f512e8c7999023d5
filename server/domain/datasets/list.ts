import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { readFilter } from "../filters/read.ts";
import { type DatasetSort, datasetSorts } from "../ports/datasets.ts";
import { type ListResult, parseSort } from "../list.ts";
import { defaultShareSeconds, type Share } from "../shares/links.ts";
import type { Dataset, DatasetType } from "./dataset.ts";
import { readWhole } from "./read-whole.ts";
import { viewOf } from "./view.ts";

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
