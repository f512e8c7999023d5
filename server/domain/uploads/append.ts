import { requireDiskSpace, withStoredBlob } from "../blobs/stored-blob.ts";
import type { Caller } from "../caller.ts";
import { changeable } from "../datasets/view.ts";
import type { Domain } from "../domain.ts";
import { conflict, invalid, tooLarge } from "../errors.ts";
import { type SizeLimit, tooLargeSentence } from "../plans/plan.ts";
import { quotaOf, withinQuota } from "../usage/storage-quota.ts";
import { findOpenUpload } from "./find.ts";
import { maxPartBytes, type PartPiece, type ReceivedPart, receivePart } from "./part-pieces.ts";
import { documentLimit } from "./start.ts";
import { newPartKey, type UploadPart } from "./upload.ts";

interface AppendInput {
  readonly pieces: AsyncIterable<PartPiece>;
}

/**
 * Takes a part of a session, in place of any other with its number. Throws `invalid`, `not_found`, `conflict`,
 * `unsupported` or `too_large`; the next sweep then removes the bytes that were stored.
 */
export async function appendPart(
  domain: Domain,
  { caller, input, signal }: { caller: Caller; input: AppendInput; signal: AbortSignal },
): Promise<UploadPart> {
  await requireDiskSpace(domain.blobs, 0);
  const limit = documentLimit(domain, await domain.limitsOf(caller.organisationId));
  const part = receivePart(input.pieces, {
    find: (key) => findOpenUpload(domain, caller, key),
    formats: domain.formats,
    maxBytes: Math.min(maxPartBytes, limit.maxBytes),
  });
  const head = await part.head();
  // Throws with the list of missing fields, at least the bytes.
  if (head.length === 0) part.heading();
  return storePart(domain, { caller, part, head, limit, signal });
}

interface PartToStore {
  readonly caller: Caller;
  readonly part: ReceivedPart;
  readonly head: Uint8Array;
  readonly limit: SizeLimit;
  readonly signal: AbortSignal;
}

/**
 * Streams the bytes to a blob of their own, which is on the garbage list until the part is committed: whether the
 * part can be accepted may become clear only after all its bytes have arrived.
 */
async function storePart(domain: Domain, { caller, part, head, limit, signal }: PartToStore): Promise<UploadPart> {
  const { metadata, blobs, clock } = domain;
  const blobKey = newPartKey();
  return withStoredBlob(domain, { key: blobKey }, async () => {
    const quota = await quotaOf(metadata, caller.workspaceId);
    const givenBack = (): Promise<number> => replacedBytes(domain, part);
    const body = withinQuota(part.from(head), { quota, what: "the part", givenBack });
    const stored = await blobs.put(blobKey, body, signal);
    const { upload, partNumber, checksum } = part.heading();
    if (checksum !== "" && checksum !== stored.sha256) {
      throw invalid(`part ${partNumber} has the SHA-256 ${stored.sha256}, not the checksum given; send it again`);
    }
    const received: UploadPart = { partNumber, etag: stored.sha256, size: stored.size, blobKey };
    const outcome = await metadata.uploads.putPart(upload.key, received, limit.maxBytes, clock(), changeable(caller));
    if (outcome === "full") throw tooLarge(tooLargeSentence("the document", limit), { reason: "DOCUMENT_TOO_LARGE" });
    if (outcome === "over quota") throw (await quotaOf(metadata, caller.workspaceId)).refuse("the part");
    if (outcome === "closed") {
      await findOpenUpload(domain, caller, upload.key);
      throw conflict(`upload session ${upload.key} was ended while part ${partNumber} was sent`, {
        reason: "UPLOAD_SESSION_ENDED",
      });
    }
    return received;
  });
}

/** The size of the part that this one replaces; the maximum size of a part while its number is not known. */
async function replacedBytes({ metadata }: Domain, part: ReceivedPart): Promise<number> {
  const { upload, partNumber } = part.received();
  if (upload === undefined || partNumber === 0) return maxPartBytes;
  const parts = await metadata.uploads.parts(upload.key);
  return parts.find((received) => received.partNumber === partNumber)?.size ?? 0;
}
