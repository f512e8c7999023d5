import { requireDiskSpace } from "../blobs/disk-space.ts";
import { withStoredBlob } from "../blobs/stored-blob.ts";
import type { Caller } from "../caller.ts";
import { blobSource } from "../documents/source.ts";
import type { Domain } from "../domain.ts";
import { newDatasetId, newJobId } from "../ids.ts";
import { newJob } from "../jobs/create.ts";
import type { JobType } from "../jobs/job.ts";
import { type JobView, viewAccepted } from "../jobs/view.ts";
import { retentionDays, sizeLimit } from "../plans/allowance.ts";
import type { PlanLimits } from "../plans/plan.ts";
import { type StorageQuota, quotaOf, withinQuota } from "../usage/storage-quota.ts";
import { acceptCallback } from "../webhooks/callback.ts";
import { acceptAddress } from "./address.ts";
import { type DocumentIds, newDataset } from "./create.ts";
import { originalKeyOf } from "./dataset.ts";
import { requireInView } from "./view.ts";
import { receivePieces, type ReceivedUpload, type UploadPiece } from "./pieces.ts";

export interface UploadInput {
  readonly type: JobType;
  /** Those to use; undefined: new ones. */
  readonly ids: DocumentIds | undefined;
  readonly pieces: AsyncIterable<UploadPiece>;
  /** A lower bound of the file's size that is known before any of it has arrived. */
  readonly minFileBytes: number;
}

/**
 * Takes a document, sent or named by its address, and accepts the job that works on it. Throws `invalid`,
 * `unsupported` or `too_large`; then nothing is kept: the next sweep removes what has been stored.
 */
export async function uploadDocument(
  domain: Domain,
  { caller, input, signal }: { caller: Caller; input: UploadInput; signal: AbortSignal },
): Promise<JobView> {
  const { type } = input;
  const quota = await quotaOf(domain.metadata, caller.workspaceId);
  if (input.minFileBytes > quota.remainingBytes) throw quota.refuse("the document");
  await requireDiskSpace(domain.blobs, input.minFileBytes);
  const ids = input.ids ?? { datasetId: newDatasetId(), jobId: newJobId() };
  const allowed = await domain.limitsOf(caller.organisationId);
  const ofServer = {
    maxBytes: domain.limits.maxUploadBytes,
    whose: "the most that one request may upload; upload it in parts or give its url",
  };
  const upload = receivePieces(input.pieces, sizeLimit(ofServer, allowed));
  const head = await upload.head();
  const { settings } = upload;
  if (settings.url !== "") {
    if (quota.remainingBytes <= 0) throw quota.refuse("the document");
    return acceptAddress(domain, { caller, type, ids, settings, allowed });
  }
  domain.formats.refuseAtOnce(head);
  return storeDocument(domain, { caller, type, ids, upload, head, allowed, quota, signal });
}

interface DocumentToStore {
  readonly caller: Caller;
  readonly type: JobType;
  readonly ids: DocumentIds;
  readonly upload: ReceivedUpload;
  readonly head: Uint8Array;
  readonly allowed: PlanLimits;
  readonly quota: StorageQuota;
  readonly signal: AbortSignal;
}

/**
 * The bytes are streamed to the blob store; the dataset, the job and the claim on the bytes are one transaction, so a
 * crash leaves either all of them or nothing.
 */
async function storeDocument(
  domain: Domain,
  { caller, type, ids, upload, head, allowed, quota, signal }: DocumentToStore,
): Promise<JobView> {
  const { metadata, blobs, clock, worker } = domain;
  const { workspaceId } = caller;
  const id = ids.datasetId;
  const key = originalKeyOf(id);
  return withStoredBlob(domain, { key }, async () => {
    const stored = await blobs.put(key, withinQuota(upload.from(head), { quota, what: "the document" }), signal);
    const kind = await domain.formats.identify(blobSource(blobs, key, stored.size));
    const now = clock();
    const { fileName, metadata: ofDataset } = upload.settings;
    requireInView(caller, ofDataset);
    const expiresInDays = retentionDays(upload.settings.expiresInDays, allowed);
    const named = { id, workspaceId, fileName, metadata: ofDataset };
    const dataset = newDataset({ ...named, kind, stored, expiresInDays, now });
    const callbackUrl = await acceptCallback(domain, workspaceId, upload.settings.callbackUrl);
    const traceparent = domain.tracing.traceparent();
    const job = newJob(workspaceId, id, type, now, { id: ids.jobId, traceparent, callbackUrl });
    signal.throwIfAborted();
    const isCreated = await metadata.datasets.create(dataset, job);
    if (!isCreated) throw (await quotaOf(metadata, workspaceId)).refuse("the document");
    worker.wake();
    return viewAccepted(job);
  });
}
