import type { Caller } from "../caller.ts";
import { sees } from "../datasets/view.ts";
import type { Domain } from "../domain.ts";
import { notFound } from "../errors.ts";
import type { Filter } from "../filters/filter.ts";
import { type DatasetId, parseDatasetId } from "../ids.ts";
import type { Pass } from "./within.ts";

/** Where a search looks. */
export interface Within {
  /** Only these; of the whole workspace when undefined. */
  readonly datasetIds: readonly DatasetId[] | undefined;
  /** What tells which datasets are meant, where these are too many to be named; all are when undefined. */
  readonly pass: Pass | undefined;
}

/** Datasets that the index is told one by one. LanceDB takes some 8 µs for each, in each of its queries. */
const maxNamed = 4_000;

/** The datasets that are asked for and pass the filter. Ids that are not the caller's are `not_found`, wherever they come from. */
export async function resolveScope(
  domain: Pick<Domain, "metadata" | "clock">,
  caller: Pick<Caller, "workspaceId" | "filter">,
  { datasetIds: asked, filter }: { readonly datasetIds: readonly string[]; readonly filter: Filter | undefined },
): Promise<Within> {
  const { metadata, clock } = domain;
  const { workspaceId } = caller;
  const datasetIds = await existingIds(domain, caller, asked);
  if (filter === undefined) return { datasetIds, pass: undefined };
  const query = { workspaceId, filter, now: clock() };
  if (datasetIds !== undefined) {
    return {
      datasetIds: await metadata.datasets.ids({ ...query, among: datasetIds, limit: datasetIds.length }),
      pass: undefined,
    };
  }
  const passing = await metadata.datasets.ids({ ...query, limit: maxNamed + 1 });
  if (passing.length <= maxNamed) return { datasetIds: passing, pass: undefined };
  const known = new Map(passing.map((id) => [id, true]));
  return {
    datasetIds: undefined,
    async pass(ids) {
      const unknown = ids.filter((id) => !known.has(id));
      if (unknown.length > 0) {
        const passed = new Set(await metadata.datasets.ids({ ...query, among: unknown, limit: unknown.length }));
        for (const id of unknown) known.set(id, passed.has(id));
      }
      return new Set(ids.filter((id) => known.get(id) === true));
    },
  };
}

async function existingIds(
  { metadata, clock }: Pick<Domain, "metadata" | "clock">,
  caller: Pick<Caller, "workspaceId" | "filter">,
  ids: readonly string[],
): Promise<readonly DatasetId[] | undefined> {
  if (ids.length === 0) return undefined;
  const wanted = new Map(ids.map((id) => [id, parseDatasetId(id)]));
  const parsed = [...new Set(wanted.values())].flatMap((id) => id ?? []);
  const found = await metadata.datasets.getMany(caller.workspaceId, parsed, clock());
  const known = new Set(found.filter((dataset) => sees(caller, dataset)).map(({ id }) => id));
  for (const [id, datasetId] of wanted) {
    if (datasetId === undefined || !known.has(datasetId)) {
      throw notFound(`there is no dataset ${JSON.stringify(id)} in this workspace`);
    }
  }
  return [...known];
}
