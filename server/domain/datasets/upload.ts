import { requireDiskSpace, withStoredBlob } from "../blobs/stored-blob.ts";
import type { Caller } from "../caller.ts";
import { blobSource } from "../documents/source.ts";
import type { Domain } from "../domain.ts";
import { invalid } from "../errors.ts";
import { newDatasetId, newJobId } from "../ids.ts";
import { type Job, type JobType, newJob } from "../jobs/job.ts";
import { type JobView, viewAccepted } from "../jobs/view.ts";
import { type PlanLimits, retentionDays, type SizeLimit, sizeLimit } from "../plans/plan.ts";
import { quotaOf, type StorageQuota, withinQuota } from "../usage/storage-quota.ts";
import { acceptCallback } from "../webhooks/secrets.ts";
import { acceptAddress } from "./address.ts";
import { type DocumentIds, newDataset, refuseVersion, replacing } from "./create.ts";
import { type Dataset, originalKeyOf, publicId } from "./dataset.ts";
import { findDataset } from "./read.ts";
import { type ReceivedUpload, receivePieces, type UploadPiece, type UploadSettings } from "./pieces.ts";
import { findSameContent } from "./same-content.ts";
import { requireWritable } from "./view.ts";

export interface UploadInput {
  readonly type: JobType;
  /** Ids to use; undefined for new ones. */
  readonly ids: DocumentIds | undefined;
  readonly pieces: AsyncIterable<UploadPiece>;
  /** A lower bound of the file's size, known before any of it has arrived. */
  readonly minFileBytes: number;
}

/**
 * Takes a document, sent as a file or named by its URL, and accepts the job that processes it. Throws `invalid`,
 * `unsupported` or `too_large`; the next sweep then removes the bytes that were stored.
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
  const findSame = ({ sha256, callbackUrl }: Pick<UploadSettings, "sha256" | "callbackUrl">) =>
    findSameContent(domain, { caller, input: { sha256, type, jobId: ids.jobId, callbackUrl } });
  const upload = receivePieces(input.pieces, { limit: sizeLimit(singleUploadLimit(domain), allowed), findSame });
  const head = await upload.head();
  const { settings, found } = upload;
  if (found !== undefined) return found;
  if (settings.url !== "") {
    if (quota.remainingBytes <= 0) throw quota.refuse("the document");
    return acceptAddress(domain, { caller, type, ids, settings, allowed });
  }
  domain.formats.refuseAtOnce(head);
  return storeDocument(domain, { caller, type, ids, upload, head, allowed, quota, findSame, signal });
}

/** The size limit of a document that comes in one request. */
const singleUploadLimit = ({ limits }: Pick<Domain, "limits">): SizeLimit => ({
  maxBytes: limits.maxUploadBytes,
  whose: "the most that one request may upload; upload it in parts or give its url",
});

/**
 * Takes a new version of a dataset's document and accepts the job that reads it. The dataset stays as it is until
 * the job succeeds, and then changes in one step. Throws as `uploadDocument` does, and `not_found`, or `conflict`
 * while a job of the dataset is running.
 */
export async function replaceDocument(
  domain: Domain,
  { caller, input, signal }: { caller: Caller; input: Omit<UploadInput, "type">; signal: AbortSignal },
): Promise<JobView> {
  const quota = await quotaOf(domain.metadata, caller.workspaceId);
  if (input.minFileBytes > quota.remainingBytes) throw quota.refuse("the document");
  await requireDiskSpace(domain.blobs, input.minFileBytes);
  const ids = input.ids ?? { datasetId: newDatasetId(), jobId: newJobId() };
  const allowed = await domain.limitsOf(caller.organisationId);
  const findSame = async (): Promise<undefined> => undefined;
  const upload = receivePieces(input.pieces, { limit: sizeLimit(singleUploadLimit(domain), allowed), findSame });
  const head = await upload.head();
  const { settings } = upload;
  if (settings.datasetId === "") throw invalid("say the id of the dataset in front of its new file");
  const replaced = await findDataset(domain, caller, settings.datasetId);
  const type = await typeOfVersion(domain, replaced, settings.vectorize);
  if (settings.url !== "") {
    if (quota.remainingBytes <= 0) throw quota.refuse("the document");
    return acceptAddress(domain, { caller, type, ids, settings, allowed, replaced });
  }
  domain.formats.refuseAtOnce(head);
  return storeDocument(domain, { caller, type, ids, upload, head, allowed, quota, replaced, findSame, signal });
}

/** The job type for a new version: the same as for the previous one, unless `vectorize` is given. */
export async function typeOfVersion(
  { metadata }: Pick<Domain, "metadata">,
  { id }: Pick<Dataset, "id">,
  vectorize: boolean | undefined,
): Promise<JobType> {
  const isVectorized = vectorize ?? (await metadata.packs.ofDataset(id)) !== undefined;
  return isVectorized ? "datasets/vectorize" : "datasets/extract";
}

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
async function storeDocument(domain: Domain, document: DocumentToStore): Promise<JobView> {
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
