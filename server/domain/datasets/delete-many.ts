import { actOf } from "../audit/event.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import type { Filter } from "../filters/filter.ts";
import { matches } from "../filters/matches.ts";
import { readFilter } from "../filters/read.ts";
import { type DatasetId, parseDatasetId } from "../ids.ts";
import { type Dataset, publicId, storedBytes } from "./dataset.ts";
import { viewOf } from "./view.ts";

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
  const isMeant = ({ metadata }: Dataset): boolean => view === undefined || matches(view, metadata);
  const meant = ids.length > 0 ? named(domain, caller, ids, isMeant) : passing(domain, caller, view, dryRun);
  const { matching, some } = await meant;
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

async function named(
  { metadata, clock }: Domain,
  { workspaceId }: Caller,
  ids: readonly string[],
  isMeant: (dataset: Dataset) => boolean,
): Promise<Meant> {
  const parsed = ids.flatMap((id) => parseDatasetId(id) ?? []);
  const found = await metadata.datasets.getMany(workspaceId, parsed, clock());
  const some = found.filter(isMeant);
  return { matching: some.length, some };
}

async function passing(
  { metadata, clock }: Domain,
  { workspaceId }: Caller,
  view: Filter | undefined,
  dryRun: boolean,
): Promise<Meant> {
  const { total, data } = await metadata.datasets.list({
    workspaceId,
    types: [],
    sha256: [],
    filter: view,
    sort: [{ property: "createdAt", descending: true }],
    offset: 0,
    limit: dryRun ? maxShown : maxPerRequest,
    now: clock(),
  });
  return { matching: total, some: data };
}
