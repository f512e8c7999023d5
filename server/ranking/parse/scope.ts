import type { Caller } from "../../domain/caller.ts";
import { findDatasets } from "../../domain/datasets/get.ts";
import type { Domain } from "../../domain/domain.ts";
import type { Filter } from "../../domain/filters/filter.ts";
import type { DatasetId } from "../../domain/ids.ts";
import type { Pass, SearchScope } from "../../domain/ports/vectors.ts";

/** Datasets that the index is told one by one. LanceDB takes some 4 µs for each, in each of its queries. */
const maxNamed = 4_000;
/** Datasets that are remembered for a search; of others those that it finds are looked up. */
const maxRemembered = 100_000;

interface AskedScope {
  /** All when empty. */
  readonly datasetIds: readonly string[];
  readonly filter: Filter | undefined;
  /** Lower case, without a dot; of every format when empty. */
  readonly fileExts: readonly string[];
}

/** The datasets that are asked for and pass the filter. Ids that are not the caller's are `not_found`, wherever they come from. */
export async function resolveScope(
  domain: Pick<Domain, "metadata" | "clock">,
  caller: Pick<Caller, "workspaceId" | "filter">,
  { datasetIds: asked, filter, fileExts }: AskedScope,
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
 * Looks up, once, which datasets pass of those that are not known to. `known` gets those that do; `ask` gives those of the ids
 * that pass.
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
