import { requireDiskSpace, withStoredBlob } from "../blobs/stored-blob.ts";
import type { Caller } from "../caller.ts";
import { newDataset, refuseVersion, replacing } from "../datasets/create.ts";
import { originalKeyOf } from "../datasets/dataset.ts";
import { changeable } from "../datasets/view.ts";
import { blobSource } from "../documents/source.ts";
import type { Domain } from "../domain.ts";
import { conflict, DomainError, invalid } from "../errors.ts";
import { newDatasetId } from "../ids.ts";
import { newJob } from "../jobs/job.ts";
import { findJob } from "../jobs/read.ts";
import { type JobView, viewAccepted, viewRepeated } from "../jobs/view.ts";
import { checkParts, digestParts, type ListedPart } from "./check-parts.ts";
import { findChangeableUpload, findOpenUpload, findUpload } from "./find.ts";
import type { Upload, UploadEnd, UploadPart } from "./upload.ts";

interface EndInput {
  readonly key: string;
  /** Empty for all received parts. */
  readonly parts: readonly ListedPart[];
  /** SHA-256 of the whole document, hexadecimal; empty if not given. */
  readonly checksum: string;
}

/**
 * Creates a dataset from the parts and accepts the job that processes it. A repetition with the same parts gets the
 * same job. Throws `invalid`, `unsupported` or `conflict`, after which the session is open as before, and
 * `not_found`.
 */
export async function endUpload(
  domain: Domain,
  { caller, input, signal }: { caller: Caller; input: EndInput; signal: AbortSignal },
): Promise<JobView> {
  const { key } = await findChangeableUpload(domain, caller, input.key);
  return domain.uploadTurns.take(key, signal, async (closing) => {
    const upload = await findUpload(domain, caller, key);
    if (upload.ended !== null) return sameEnd(domain, { caller, ended: upload.ended, input });
    return complete(domain, { caller, upload, input, closing }).catch(async (cause: unknown) => {
      // Another process may have ended the session meanwhile; then its parts are gone, and this call is a repetition.
      const ended = cause instanceof DomainError ? (await findUpload(domain, caller, key)).ended : null;
      if (ended === null) throw cause;
      return sameEnd(domain, { caller, ended, input });
    });
  });
}

async function complete(
  domain: Domain,
  { caller, upload, input, closing }: { caller: Caller; upload: Upload; input: EndInput; closing: AbortSignal },
): Promise<JobView> {
  const parts = await domain.metadata.uploads.parts(upload.key);
  checkParts(parts, { listed: input.parts, fileSize: upload.fileSize });
  await requireDiskSpace(
    domain.blobs,
    parts.reduce((sum, { size }) => sum + size, 0),
  );
  return becomeDataset(domain, { caller, upload, parts, checksum: input.checksum.toLowerCase(), closing });
}

/** The answer to a repeated end: the job of the first. */
async function sameEnd(
  domain: Domain,
  { caller, ended, input }: { caller: Caller; ended: UploadEnd; input: EndInput },
): Promise<JobView> {
  if (input.parts.length > 0 && digestParts(input.parts) !== ended.partsDigest) {
    throw conflict(
      `upload session ${input.key} has ended with other parts and its document is job ${ended.jobId}; start a new session`,
      { reason: "UPLOAD_SESSION_ENDED" },
    );
  }
  const job = await findJob(domain, caller, ended.jobId);
  return viewRepeated(domain.metadata, job);
}

interface CompleteUpload {
  readonly caller: Caller;
  readonly upload: Upload;
  readonly parts: readonly UploadPart[];
  readonly checksum: string;
  readonly closing: AbortSignal;
}

/**
 * Assembles the original for a new dataset; it is on the garbage list until the dataset is committed. The dataset,
 * the job, the end of the session and the claim on the original are one transaction, so a crash leaves either all of
 * them or the session as it was.
 */
async function becomeDataset(
  domain: Domain,
  { caller, upload, parts, checksum, closing }: CompleteUpload,
): Promise<JobView> {
  const { metadata, blobs, clock, worker } = domain;
  const { workspaceId } = upload;
  const id = newDatasetId();
  const key = originalKeyOf(id);
  return withStoredBlob(domain, { key }, async () => {
    const blobKeys = parts.map(({ blobKey }) => blobKey);
    const stored = await blobs.assemble(key, blobKeys, closing);
    if (stored === undefined) throw await changed(domain, caller, upload);
    if (checksum !== "" && checksum !== stored.sha256) {
      throw invalid(
        `the document has the SHA-256 ${stored.sha256}, not the checksum given; compare the etags of its parts`,
      );
    }
    const kind = await domain.formats.identify(blobSource(blobs, key, stored.size));
    const now = clock();
    const { fileName, callbackUrl, versionOf, metadata: ofDataset } = upload;
    const expiresInDays = upload.expiryInDays ?? undefined;
    const named = { id, workspaceId, versionOf, fileName, metadata: ofDataset };
    const dataset = newDataset({ ...named, kind, stored, expiresInDays, now });
    const origin = { versionOf, traceparent: domain.tracing.traceparent(), callbackUrl };
    const job = newJob(workspaceId, id, upload.jobType, now, origin);
    const end = { jobId: job.id, partsDigest: digestParts(parts) };
    const replacement = versionOf === null ? undefined : replacing(caller, job);
    const outcome = await metadata.uploads.end(upload.key, { parts, dataset, job, end, replacement }, now);
    if (outcome === "changed" || outcome === "closed") throw await changed(domain, caller, upload);
    if (outcome !== "ended" && versionOf !== null) throw refuseVersion(versionOf, outcome);
    worker.wake();
    return viewAccepted(job);
  });
}

/** The error for parts that have changed a moment ago. Throws `not_found` if the session is gone altogether. */
async function changed(domain: Domain, caller: Caller, { key }: Upload): Promise<Error> {
  await findUpload(domain, caller, key);
  return conflict(`parts of upload session ${key} have changed while it was being ended; end it again`);
}

/**
 * Ends a session without a document: it disappears from every answer at once; the worker then removes its parts,
 * also after a crash. Throws `not_found`, and `conflict` if it has become a dataset.
 */
export async function abortUpload(
  domain: Domain,
  { caller, input }: { caller: Caller; input: { key: string } },
): Promise<void> {
  const { metadata, clock, worker } = domain;
  const { key } = await findOpenUpload(domain, caller, input.key);
  // If another call has ended or aborted the session in between, `findOpenUpload` throws the error that says which.
  const isAborted = await metadata.uploads.abort(caller.workspaceId, key, clock(), changeable(caller));
  if (!isAborted) await findOpenUpload(domain, caller, key);
  worker.wake();
}
