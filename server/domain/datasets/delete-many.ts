import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import type { Filter } from "../filters/filter.ts";
import { matches } from "../filters/matches.ts";
import { readFilter } from "../filters/read.ts";
import { type DatasetId, parseDatasetId } from "../ids.ts";
import { type Dataset, type IsMeant, publicId, storedBytes } from "./dataset.ts";
import { mayWrite, viewOf } from "./view.ts";

export interface DeleteManyInput {
  /** Of these; of all when empty. Those that are not there are passed over. */
  readonly ids: readonly string[];
  /** JSON of a filter that they pass; undefined: the ids say what is meant, and without those nothing is. */
  readonly filter: unknown;
  /** Nothing is deleted; true when undefined. */
  readonly dryRun: boolean | undefined;
}

export interface Deletion {
  readonly dryRun: boolean;
  /** Datasets that were meant when the request came. */
  readonly matching: number;
  /** Some of them: those that were deleted, or the newest that would be. */
  readonly ids: readonly DatasetId[];
  /** Of these; of a dry run what would be freed. */
  readonly freedBytes: number;
  /** How many of them are left for further requests. */
  readonly remaining: number;
}

/** Deletions of one request: some seconds. */
const maxPerRequest = 1_000;
/** Enough to see what would go. */
const maxShown = 100;

/**
 * Deletes datasets as `deleteDataset` does, each by itself: what has been deleted stays so if the rest fails. Up to 1,000;
 * the same request deletes the next ones.
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
  const isMeant: IsMeant = (dataset) =>
    (view === undefined || matches(view, dataset.metadata)) && mayWrite(caller, dataset);
  const limit = dryRun ? maxShown : maxPerRequest;
  const { matching, some } = await (ids.length > 0
    ? named(domain, caller, { ids, isMeant })
    : caller.filter === undefined
      ? passing(domain, caller, { view, limit })
      : writable(domain, caller, { view, limit, isMeant }));
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
    // It may have changed since it was found.
    const gone = await domain.metadata.datasets.delete(workspaceId, id, now, event, isMeant);
    if (gone === undefined) continue;
    deleted.push(id);
    freedBytes += gone.freedBytes;
  }
  domain.worker.wake();
  return { dryRun, matching, ids: deleted, freedBytes, remaining: matching - some.length };
}

interface Meant {
  readonly matching: number;
  readonly some: readonly Dataset[];
}

interface Asked {
  readonly view: Filter | undefined;
  /** Datasets of `Meant.some`. */
  readonly limit: number;
}

async function named(
  { metadata, clock }: Domain,
  { workspaceId }: Caller,
  { ids, isMeant }: { readonly ids: readonly string[]; readonly isMeant: IsMeant },
): Promise<Meant> {
  const parsed = ids.flatMap((id) => parseDatasetId(id) ?? []);
  const found = await metadata.datasets.getMany(workspaceId, parsed, clock());
  const some = found.filter(isMeant);
  return { matching: some.length, some };
}

async function passing({ metadata, clock }: Domain, { workspaceId }: Caller, { view, limit }: Asked): Promise<Meant> {
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

/** Which of those that pass a bound key may write is not asked of the store: all of them are looked at. */
async function writable(
  { metadata, clock }: Domain,
  { workspaceId }: Caller,
  { view, limit, isMeant }: Asked & { readonly isMeant: IsMeant },
): Promise<Meant> {
  const now = clock();
  const ids = await metadata.datasets.ids({ workspaceId, filter: view, limit: Number.MAX_SAFE_INTEGER, now });
  let matching = 0;
  let some: readonly Dataset[] = [];
  for (let from = 0; from < ids.length; from += maxPerRequest) {
    const found = await metadata.datasets.getMany(workspaceId, ids.slice(from, from + maxPerRequest), now);
    const meant = found.filter(isMeant);
    matching += meant.length;
    some = [...some, ...meant].toSorted((one, other) => other.createdAt - one.createdAt).slice(0, limit);
  }
  return { matching, some };
}
