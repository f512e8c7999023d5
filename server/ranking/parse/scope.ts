import type { Caller } from "../../domain/caller.ts";
import { findDatasets } from "../../domain/datasets/read.ts";
import type { Domain } from "../../domain/domain.ts";
import type { Filter } from "../../domain/filters/filter.ts";
import type { DatasetId } from "../../domain/ids.ts";
import type { Pass, SearchScope } from "../../domain/ports/vectors.ts";

/** Maximum number of datasets to list in a query of the index. LanceDB takes some 4 µs for each of them in each query. */
const maxNamed = 4_000;
/** Maximum number of datasets to keep in memory for a search. Further datasets are looked up if they are in its results. */
const maxRemembered = 100_000;

interface ScopeQuery {
  /** The datasets to search; all if empty. */
  readonly datasetIds: readonly string[];
  readonly filter: Filter | undefined;
  /** File extensions in lower case, without a dot; every format if empty. */
  readonly fileExts: readonly string[];
}

/**
 * Returns the requested datasets that pass the filter. Throws `NotFound` for ids that are not the caller's, whether or not they
 * exist.
 */
export async function resolveScope(
  domain: Pick<Domain, "metadata" | "clock">,
  caller: Pick<Caller, "workspaceId" | "filter">,
  { datasetIds: asked, filter, fileExts }: ScopeQuery,
): Promise<Pick<SearchScope, "datasetIds" | "pass">> {
  const { metadata, clock } = domain;
  const { workspaceId } = caller;
  const datasetIds = await existingIds(domain, caller, asked);
  if (filter === undefined && fileExts.length === 0) return { datasetIds, pass: undefined };
  const query = { workspaceId, filter, fileExts, now: clock() };
  if (datasetIds !== undefined) {
    return {
      datasetIds: await metadata.datasets.ids({ ...query, among: datasetIds, limit: datasetIds.length }),
      pass: undefined,
    };
  }
  const passing = await metadata.datasets.ids({ ...query, limit: maxRemembered + 1 });
  if (passing.length <= maxNamed) return { datasetIds: passing, pass: undefined };
  const known = new Set(passing);
  if (passing.length <= maxRemembered) return { datasetIds: undefined, pass: async () => known };
  const ask = (among: readonly DatasetId[]) => metadata.datasets.ids({ ...query, among, limit: among.length });
  return { datasetIds: undefined, pass: askingPass(known, ask) };
}

async function existingIds(
  domain: Pick<Domain, "metadata" | "clock">,
  caller: Pick<Caller, "workspaceId" | "filter">,
  ids: readonly string[],
): Promise<readonly DatasetId[] | undefined> {
  if (ids.length === 0) return undefined;
  const found = await findDatasets(domain, caller, ids);
  return [...new Set(Array.from(found.values(), ({ id }) => id))];
}

/**
 * Looks up once for each dataset that is not in `known` whether it passes the filter, and adds it to `known` if it does. `ask`
 * returns the ids that pass.
 */
export function askingPass(
  known: Set<DatasetId>,
  ask: (ids: readonly DatasetId[]) => Promise<readonly DatasetId[]>,
): Pass {
  const refused = new Set<DatasetId>();
  return async (ids) => {
    const unknown = [...ids].filter((id) => !known.has(id) && !refused.has(id));
    if (unknown.length === 0) return known;
    for (const id of await ask(unknown)) known.add(id);
    for (const id of unknown) if (!known.has(id)) refused.add(id);
    return known;
  };
}
