import { requireDiskSpace } from "../blobs/disk-space.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { newDatasetId, newJobId } from "../ids.ts";
import type { JobType } from "../jobs/job.ts";
import type { JobView } from "../jobs/view.ts";
import { type SizeLimit, sizeLimit } from "../plans/allowance.ts";
import { quotaOf } from "../usage/storage-quota.ts";
import { acceptAddress } from "./address.ts";
import type { DocumentIds } from "./create.ts";
import { receivePieces, type UploadPiece, type UploadSettings } from "./pieces.ts";
import { findSameContent } from "./same-content.ts";
import { storeDocument } from "./store.ts";

export interface UploadInput {
  readonly type: JobType;
  /** Ids to use; undefined for new ones. */
  readonly ids: DocumentIds | undefined;
  readonly pieces: AsyncIterable<UploadPiece>;
  /** A lower bound of the file's size, known before any of it has arrived. */
  readonly minFileBytes: number;
}

/**
 * Takes a document, sent or named by its URL, and accepts the job that processes it. Throws `invalid`,
 * `unsupported` or `too_large`; then nothing is kept: the next sweep removes the stored bytes.
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
export const singleUploadLimit = ({ limits }: Pick<Domain, "limits">): SizeLimit => ({
  maxBytes: limits.maxUploadBytes,
  whose: "the most that one request may upload; upload it in parts or give its url",
});
