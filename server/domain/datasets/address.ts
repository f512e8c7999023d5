import type { Caller } from "../caller.ts";
import { type DocumentKind, kindOfExt } from "../documents/kind.ts";
import type { Domain } from "../domain.ts";
import { type JobType, newJob } from "../jobs/job.ts";
import { type JobView, viewAccepted } from "../jobs/view.ts";
import { type PlanLimits, retentionDays } from "../plans/plan.ts";
import type { StoredBlob } from "../ports/blobs.ts";
import { acceptCallback } from "../webhooks/secrets.ts";
import { type DocumentIds, newDataset, refuseVersion, replacing } from "./create.ts";
import { type Dataset, publicId } from "./dataset.ts";
import { addressFileName, cleanFileName } from "../names.ts";
import type { UploadSettings } from "./pieces.ts";
import { requireWritable } from "./view.ts";

const notKnownYet: Pick<DocumentKind, "fileExt" | "mimeType"> = {
  fileExt: "",
  mimeType: "application/octet-stream",
};

interface Named {
  readonly caller: Caller;
  readonly type: JobType;
  readonly ids: DocumentIds;
  readonly settings: UploadSettings;
  readonly allowed: PlanLimits;
  /** The dataset that gets a new version; undefined for a new dataset. */
  readonly replaced?: Dataset;
}

/**
 * Accepts a document that has yet to be fetched: creates its dataset, which is empty until then, and the job that
 * fetches and processes it. Throws `invalid` for an address that is not allowed, as far as this is clear without a
 * look-up.
 */
export async function acceptAddress(domain: Domain, named: Named): Promise<JobView> {
  const { caller, type, ids, settings, allowed, replaced } = named;
  const { metadata, remoteFiles, clock, worker, tracing } = domain;
  const ofDataset = replaced?.metadata ?? settings.metadata;
  requireWritable(caller, ofDataset);
  const url = remoteFiles.parse(settings.url);
  const callbackUrl = await acceptCallback(domain, caller.workspaceId, settings.callbackUrl);
  const id = ids.datasetId;
  const now = clock();
  const fileName = cleanFileName(settings.fileName, nameInAddress(url));
  const versionOf = replaced === undefined ? null : publicId(replaced);
  const dataset = newDataset({
    id,
    versionOf,
    workspaceId: caller.workspaceId,
    fileName,
    kind: kindOfExt(/\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? "") ?? notKnownYet,
    stored: { size: 0, sha256: "" },
    expiresInDays: replaced === undefined ? retentionDays(settings.expiresInDays, allowed) : undefined,
    metadata: ofDataset,
    now,
  });
  const origin = { id: ids.jobId, versionOf, traceparent: tracing.traceparent(), callbackUrl };
  const job = newJob(caller.workspaceId, id, type, now, origin);
  if (versionOf === null) await metadata.fetches.create(dataset, job, url.href);
  else {
    const outcome = await metadata.fetches.createVersion(dataset, job, url.href, replacing(caller, job));
    if (outcome !== "created") throw refuseVersion(versionOf, outcome);
  }
  worker.wake();
  return viewAccepted(job);
}

/** Whether the document of a dataset has yet to be fetched. */
export function isAwaited({ sha256 }: Pick<Dataset, "sha256">): boolean {
  return sha256 === "";
}

/** Returns the fields that a fetched document sets on its dataset. A name that the owner gave is kept. */
export function fetched(
  dataset: Pick<Dataset, "fileName">,
  { url, fileName, kind, stored }: { url: URL; fileName: string; kind: DocumentKind; stored: StoredBlob },
): Pick<Dataset, "fileName" | "fileExt" | "mimeType" | "fileSize" | "sha256"> {
  const isGiven = dataset.fileName !== nameInAddress(url);
  return {
    fileName: isGiven ? dataset.fileName : cleanFileName(fileName, `document.${kind.fileExt}`),
    fileExt: kind.fileExt,
    mimeType: kind.mimeType,
    fileSize: stored.size,
    sha256: stored.sha256,
  };
}

function nameInAddress(url: URL): string {
  return cleanFileName(addressFileName(url), "document");
}
