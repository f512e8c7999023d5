import { requireDiskSpace } from "../blobs/disk-space.ts";
import type { Caller } from "../caller.ts";
import type { Domain } from "../domain.ts";
import { invalid } from "../errors.ts";
import { newDatasetId, newJobId } from "../ids.ts";
import type { JobType } from "../jobs/job.ts";
import type { JobView } from "../jobs/view.ts";
import { sizeLimit } from "../plans/allowance.ts";
import { quotaOf } from "../usage/storage-quota.ts";
import { acceptAddress } from "./address.ts";
import type { Dataset } from "./dataset.ts";
import { findDataset } from "./get.ts";
import { receivePieces } from "./pieces.ts";
import { storeDocument } from "./store.ts";
import { singleUploadLimit, type UploadInput } from "./upload.ts";

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
