import type { Caller } from "../caller.ts";
import { updateDescriptiveWords } from "../documents/descriptive-text.ts";
import type { Domain } from "../domain.ts";
import { invalid } from "../errors.ts";
import type { PlanLimits } from "../plans/plan.ts";
import type { DatasetChange } from "../ports/datasets.ts";
import { expiryOf } from "./create.ts";
import { type Dataset, publicId } from "./dataset.ts";
import { cleanFileName } from "../names.ts";
import { findDataset, noSuchDataset, type SharedDataset, shareDatasets } from "./read.ts";
import { changeMetadata } from "./metadata.ts";
import { changeable, requireWritable } from "./view.ts";

export interface UpdateInput {
  readonly id: string;
  /** JSON merge patch of the metadata; undefined for no change. */
  readonly metadata: unknown;
  /** Undefined for no change. */
  readonly fileName: string | undefined;
  /** Days from now; -1 for never; undefined for no change. */
  readonly expiresInDays: number | undefined;
  /** Lifetime of the share link. */
  readonly expiresInSeconds: number | undefined;
}

/**
 * Changes the owner's description of a dataset. Throws `not_found`, and `invalid` for values that are not allowed.
 */
export async function updateDataset(
  domain: Domain,
  { caller, input }: { caller: Caller; input: UpdateInput },
): Promise<SharedDataset> {
  const { metadata, fileName, expiresInDays } = input;
  const id = publicId(await findDataset(domain, caller, input.id));
  const allowed = await domain.limitsOf(caller.organisationId);
  const now = domain.clock();
  const change = (dataset: Dataset): DatasetChange => {
    // The dataset may have changed since it was found, and it must not move out of the caller's view.
    if (changeable(caller)?.(dataset) === false) throw noSuchDataset(input.id);
    const said = metadata === undefined ? dataset.metadata : changeMetadata(dataset.metadata, metadata);
    requireWritable(caller, said);
    return { metadata: said, ...otherChanges(dataset) };
  };
  const otherChanges = (dataset: Dataset): DatasetChange => ({
    ...(fileName !== undefined && { fileName: cleanFileName(fileName, dataset.fileName) }),
    ...(expiresInDays !== undefined && { expiresAt: newExpiry(dataset, expiresInDays, allowed, now) }),
  });
  const changed = await domain.metadata.datasets.update(caller.workspaceId, id, change, now);
  if (changed === undefined) throw noSuchDataset(input.id);
  const { dataset, pending, renewals } = changed;
  // Runs even if nothing changed: once the call returns, searches find the dataset by these words, even if an earlier
  // update is still running.
  if (fileName !== undefined || metadata !== undefined) await updateDescriptiveWords(domain, dataset);
  // The pending version may have been indexed with the previous words.
  if (pending !== undefined && metadata !== undefined) await updateDescriptiveWords(domain, pending);
  // A renewal that a later change has taken over is ended by that change.
  for (const renewal of renewals) await domain.metadata.indices.rebuilt(renewal);
  const [shared] = await shareDatasets(domain, [dataset], input.expiresInSeconds);
  if (shared === undefined) throw noSuchDataset(input.id);
  return shared;
}

/**
 * The requested days count from now. The plan's limit counts from the creation: no document is kept longer than the
 * plan allows.
 */
function newExpiry(
  { createdAt }: Dataset,
  days: number,
  { maxRetentionDays }: Pick<PlanLimits, "maxRetentionDays">,
  now: number,
): number | null {
  const asked = expiryOf(days, now);
  const latest = maxRetentionDays === null ? null : expiryOf(maxRetentionDays, createdAt);
  if (latest === null || (asked !== null && asked <= latest)) return asked;
  throw invalid(
    `your organisation's plan keeps documents for at most ${maxRetentionDays} days from their creation; ` +
      `this one can stay until ${new Date(latest).toISOString()}`,
  );
}
