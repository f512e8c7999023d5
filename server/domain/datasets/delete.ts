import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { type Filter, matches } from "../filters/filter.ts";
import { readFilter } from "../filters/read.ts";
import { type DatasetId, parseDatasetId } from "../ids.ts";
import { type Dataset, type IsTarget, publicId, storedBytes } from "./dataset.ts";
import { findDataset, noSuchDataset } from "./read.ts";
import { changeable, mayWrite, viewOf } from "./view.ts";

/**
 * Deletes a dataset: it disappears from every answer at once and its jobs are cancelled. The worker then frees its
 * blobs and vectors, also after a crash.
 */
export async function deleteDataset(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { id: string } },
): Promise<{ readonly id: DatasetId; readonly freedBytes: number }> {
  const id = publicId(await findDataset(domain, caller, input.id));
  const { workspaceId } = caller;
  const now = domain.clock();
  const event = actOf(caller, { action: "dataset.delete", target: id, workspaceId }, now);
  const deleted = await domain.metadata.datasets.delete(workspaceId, id, now, event, changeable(caller));
  if (deleted === undefined) throw noSuchDataset(input.id);
  domain.worker.wake();
  return { id, freedBytes: deleted.freedBytes };
}

interface DeleteManyInput {
  /** Ids of the datasets to delete; unknown ids are skipped. Empty for all datasets that pass `filter`. */
  readonly ids: readonly string[];
  /**
   * JSON of a filter that the datasets must pass; undefined for no filter. Nothing is deleted if there are neither
   * ids nor a filter.
   */
  readonly filter: unknown;
  /** If true, the default, nothing is deleted. */
  readonly dryRun: boolean | undefined;
}

export interface Deletion {
  readonly dryRun: boolean;
  /** Datasets that matched when the request came. */
  readonly matching: number;
  /** Ids of the deleted datasets; in a dry run, of the newest that would be deleted. */
  readonly ids: readonly DatasetId[];
  /** Bytes that the deletion of `ids` has freed; in a dry run, bytes that it would free. */
  readonly freedBytes: number;
  /** Matching datasets that are left for further requests. */
  readonly remaining: number;
}

/** A request with this many deletions takes some seconds. */
const maxPerRequest = 1_000;
/** Enough for a preview. */
const maxShown = 100;

/**
 * Deletes up to 1,000 datasets, each separately as `deleteDataset` does: if one deletion fails, the earlier ones
 * stand. The same request again deletes the next ones.
 */
export async function deleteDatasets(
  domain: Domain,
  { caller, input, signal }: { caller: Caller; input: DeleteManyInput; signal: AbortSignal },
): Promise<Deletion> {
  const { ids, filter, dryRun = true } = input;
  if (ids.length === 0 && filter === undefined) {
    return { dryRun, matching: 0, ids: [], freedBytes: 0, remaining: 0 };
  }
  const view = viewOf(caller, filter === undefined ? undefined : readFilter(filter));
  const isTarget: IsTarget = (dataset) =>
    (view === undefined || matches(view, dataset.metadata)) && mayWrite(caller, dataset);
  const limit = dryRun ? maxShown : maxPerRequest;
  const { matching, some } = await (ids.length > 0
    ? named(domain, caller, { ids, isTarget })
    : caller.filter === undefined
      ? passing(domain, caller, { view, limit })
      : writable(domain, caller, { view, limit, isTarget }));
  if (dryRun) {
    const shown = some.slice(0, maxShown);
    const freedBytes = shown.reduce((sum, dataset) => sum + storedBytes(dataset), 0);
    return { dryRun, matching, ids: shown.map(publicId), freedBytes, remaining: matching };
  }
  const { workspaceId } = caller;
  const deleted: DatasetId[] = [];
  let freedBytes = 0;
  for (const id of some.map(publicId)) {
    signal.throwIfAborted();
    const now = domain.clock();
    const event = actOf(caller, { action: "dataset.delete", target: id, workspaceId }, now);
    // The dataset may have changed since it was found.
    const gone = await domain.metadata.datasets.delete(workspaceId, id, now, event, isTarget);
    if (gone === undefined) continue;
    deleted.push(id);
    freedBytes += gone.freedBytes;
  }
  domain.worker.wake();
  return { dryRun, matching, ids: deleted, freedBytes, remaining: matching - some.length };
}

interface Targets {
  readonly matching: number;
  readonly some: readonly Dataset[];
}

interface TargetQuery {
  readonly view: Filter | undefined;
  /** Maximum number of datasets in `Targets.some`. */
  readonly limit: number;
}

async function named(
  { metadata, clock }: Domain,
  { workspaceId }: Caller,
  { ids, isTarget }: { readonly ids: readonly string[]; readonly isTarget: IsTarget },
): Promise<Targets> {
  const parsed = ids.flatMap((id) => parseDatasetId(id) ?? []);
  const found = await metadata.datasets.getMany(workspaceId, parsed, clock());
  const some = found.filter(isTarget);
  return { matching: some.length, some };
}

async function passing(
  { metadata, clock }: Domain,
  { workspaceId }: Caller,
  { view, limit }: TargetQuery,
): Promise<Targets> {
  const { total, data } = await metadata.datasets.list({
    workspaceId,
    types: [],
    sha256: [],
    filter: view,
    sort: [{ property: "createdAt", descending: true }],
    offset: 0,
    limit,
    now: clock(),
  });
  return { matching: total, some: data };
}

/** The store cannot filter by what a bound key may write, so all datasets that pass the filter are read. */
async function writable(
  { metadata, clock }: Domain,
  { workspaceId }: Caller,
  { view, limit, isTarget }: TargetQuery & { readonly isTarget: IsTarget },
): Promise<Targets> {
  const now = clock();
  const ids = await metadata.datasets.ids({ workspaceId, filter: view, limit: Number.MAX_SAFE_INTEGER, now });
  let matching = 0;
  let some: readonly Dataset[] = [];
  for (let from = 0; from < ids.length; from += maxPerRequest) {
    const found = await metadata.datasets.getMany(workspaceId, ids.slice(from, from + maxPerRequest), now);
    const targets = found.filter(isTarget);
    matching += targets.length;
    some = [...some, ...targets].toSorted((one, other) => other.createdAt - one.createdAt).slice(0, limit);
  }
  return { matching, some };
}
