import { withStoredBlob } from "../blobs/stored-blob.ts";
import type { Caller } from "../caller.ts";
import { blobSource } from "../documents/source.ts";
import type { Domain } from "../domain.ts";
import { invalid } from "../errors.ts";
import type { Job, JobType } from "../jobs/job.ts";
import { newJob } from "../jobs/create.ts";
import { type JobView, viewAccepted } from "../jobs/view.ts";
import { retentionDays } from "../plans/allowance.ts";
import type { PlanLimits } from "../plans/plan.ts";
import { type StorageQuota, quotaOf, withinQuota } from "../usage/storage-quota.ts";
import { acceptCallback } from "../webhooks/callback.ts";
import { type DocumentIds, newDataset } from "./create.ts";
import { type Dataset, originalKeyOf, publicId } from "./dataset.ts";
import type { ReceivedUpload, UploadSettings } from "./pieces.ts";
import { refuseVersion, replacing } from "./replaced.ts";
import { requireWritable } from "./view.ts";

interface DocumentToStore {
  readonly caller: Caller;
  readonly type: JobType;
  readonly ids: DocumentIds;
  readonly upload: ReceivedUpload;
  readonly head: Uint8Array;
  readonly allowed: PlanLimits;
  readonly quota: StorageQuota;
  /** The dataset that gets a new version; undefined for a new document. */
  readonly replaced?: Dataset;
  findSame(content: Pick<UploadSettings, "sha256" | "callbackUrl">): Promise<JobView | undefined>;
  readonly signal: AbortSignal;
}

/**
 * Streams the bytes to the blob store, then commits the dataset, the job and the claim on the bytes in one
 * transaction, so that a crash leaves either all of them or nothing.
 */
export async function storeDocument(domain: Domain, document: DocumentToStore): Promise<JobView> {
  const { caller, type, ids, upload, head, allowed, quota, replaced, findSame, signal } = document;
  const { metadata, blobs, clock, worker } = domain;
  const { workspaceId } = caller;
  const id = ids.datasetId;
  const key = originalKeyOf(id);
  return withStoredBlob(domain, { key }, async () => {
    const stored = await blobs.put(key, withinQuota(upload.from(head), { quota, what: "the document" }), signal);
    const { ifExists, sha256, callbackUrl: toldAt } = upload.settings;
    if (sha256 !== "" && sha256 !== stored.sha256) {
      throw invalid(`the file has the SHA-256 ${stored.sha256}, not the sha256 given; send it again as it is`);
    }
    const same = ifExists === "return" ? await findSame({ sha256: stored.sha256, callbackUrl: toldAt }) : undefined;
    if (same !== undefined) {
      await metadata.garbage.postpone({ kind: "blob", key }, clock());
      return same;
    }
    const kind = await domain.formats.identify(blobSource(blobs, key, stored.size));
    const now = clock();
    const { fileName, metadata: said } = upload.settings;
    const ofDataset = replaced?.metadata ?? said;
    requireWritable(caller, ofDataset);
    const expiresInDays = replaced === undefined ? retentionDays(upload.settings.expiresInDays, allowed) : undefined;
    const versionOf = replaced === undefined ? null : publicId(replaced);
    const named = { id, workspaceId, versionOf, fileName: fileName || (replaced?.fileName ?? ""), metadata: ofDataset };
    const dataset = newDataset({ ...named, kind, stored, expiresInDays, now });
    const callbackUrl = await acceptCallback(domain, workspaceId, toldAt);
    const traceparent = domain.tracing.traceparent();
    const job = newJob(workspaceId, id, type, now, { id: ids.jobId, versionOf, traceparent, callbackUrl });
    signal.throwIfAborted();
    await enter(domain, caller, { dataset, job });
    worker.wake();
    return viewAccepted(job);
  });
}

async function enter(
  { metadata }: Domain,
  caller: Caller,
  { dataset, job }: { readonly dataset: Dataset; readonly job: Job },
): Promise<void> {
  const outcome =
    dataset.versionOf === null
      ? await metadata.datasets.create(dataset, job).then((isCreated) => (isCreated ? "created" : "over quota"))
      : await metadata.datasets.createVersion(dataset, job, replacing(caller, job));
  if (outcome === "over quota") throw (await quotaOf(metadata, dataset.workspaceId)).refuse("the document");
  if (outcome !== "created") throw refuseVersion(publicId(dataset), outcome);
}
