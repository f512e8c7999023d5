import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { readFilter } from "../filters/read.ts";
import { type DatasetSort, datasetSorts } from "../ports/datasets.ts";
import type { ListResult } from "../ports/list.ts";
import { defaultShareSeconds, type Share } from "../shares/links.ts";
import { parseSort } from "../sort.ts";
import type { Dataset, DatasetType } from "./dataset.ts";
import { readWhole } from "./read-whole.ts";
import { viewOf } from "./view.ts";

export interface SharedDataset extends Dataset {
  readonly share: Share;
}

export interface ListDatasetsInput {
  readonly types: readonly DatasetType[];
  /** Hexadecimal; datasets of any content when empty. */
  readonly sha256: readonly string[];
  /** JSON of a filter of their metadata; undefined: all. */
  readonly filter: unknown;
  readonly sort: readonly string[];
  readonly offset: number;
  readonly limit: number | undefined;
  readonly expiresInSeconds: number | undefined;
}

/** The datasets that the caller sees, each with a share link. */
export async function listDatasets(
  domain: Domain,
  { caller, input }: { caller: Caller; input: ListDatasetsInput },
): Promise<ListResult<SharedDataset>> {
  const query = {
    workspaceId: caller.workspaceId,
    types: input.types,
    sha256: input.sha256.map((sum) => sum.toLowerCase()),
    filter: viewOf(caller, input.filter === undefined ? undefined : readFilter(input.filter)),
    sort: parseSort<DatasetSort>(input.sort, datasetSorts).keys,
    offset: input.offset,
    limit: input.limit ?? defaultLimit,
    now: domain.clock(),
  };
  const { total, data } = await readWhole(domain, caller, () => domain.metadata.datasets.list(query));
  return { total, data: await shareDatasets(domain, data, input.expiresInSeconds) };
}

/** What lists return when nothing is asked. */
export const defaultLimit = 10;

export async function shareDatasets(
  { shareLinks }: Domain,
  datasets: readonly Dataset[],
  expiresInSeconds = defaultShareSeconds,
): Promise<readonly SharedDataset[]> {
  const links = await shareLinks.create(datasets, expiresInSeconds);
  return datasets.flatMap((dataset, index) => {
    const share = links[index];
    return share === undefined ? [] : [{ ...dataset, share }];
  });
}
