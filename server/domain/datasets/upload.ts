import type { Caller } from "../caller.ts";
import { identifyDocument } from "../documents/identify.ts";
import type { DocumentKind } from "../documents/kind.ts";
import { identifyBytes, refuseAtOnce } from "../documents/signatures.ts";
import { blobSource } from "../documents/source.ts";
import type { Domain } from "../domain.ts";
import { invalid, tooLarge } from "../errors.ts";
import { newDatasetId } from "../ids.ts";
import { newJob } from "../jobs/create.ts";
import type { JobType } from "../jobs/job.ts";
import { type JobView, viewAccepted } from "../jobs/view.ts";
import { type Dataset, originalKey } from "./dataset.ts";
import { cleanFileName } from "./file-name.ts";

/** A piece of an upload as it comes in. Settings may come in any piece, the bytes come in order. */
export interface UploadPiece {
  /** The next bytes; may be empty. */
  readonly file: Uint8Array;
  /** Empty: not said in this piece. A name says that there is a file, even if no bytes follow. */
  readonly fileName: string;
  /** Empty: not said in this piece. */
  readonly url: string;
  /** Days; -1: never. */
  readonly expiresInDays: number | undefined;
}

interface UploadInput {
  readonly type: JobType;
  readonly pieces: AsyncIterable<UploadPiece>;
}

/** An upload that has not become a dataset by then never will: its bytes are removed. */
const abandonedAfterMs = 24 * 3_600_000;
const dayMs = 86_400_000;

/**
 * Stores an uploaded document and accepts the job that works on it. The bytes are streamed to the blob store; the
 * dataset, the job and the claim on the bytes are one transaction, so a crash leaves either all of them or nothing.
 * Throws `invalid`, `unsupported` or `too_large`, and then nothing is left behind.
 */
export async function uploadDocument(
  domain: Domain,
  { caller, input, signal }: { caller: Caller; input: UploadInput; signal: AbortSignal },
): Promise<JobView> {
  const { metadata, blobs, clock, worker, limits } = domain;
  const id = newDatasetId();
  const key = originalKey(id);
  const upload = receive(input.pieces, limits.maxUploadBytes);
  const head = await upload.head();
  refuseAtOnce(head);

  await metadata.garbage.add([{ kind: "blob", key }], clock() + abandonedAfterMs);
  try {
    const stored = await blobs.put(key, upload.rest(head), signal);
    const kind = await identifyDocument(blobSource(blobs, key, stored.size));
    const now = clock();
    const dataset: Dataset = {
      id,
      workspaceId: caller.workspaceId,
      type: "doc",
      itemCount: 0,
      ...names(upload.settings.fileName, kind),
      fileSize: stored.size,
      sha256: stored.sha256,
      createdAt: now,
      updatedAt: null,
      expiresAt: expiry(upload.settings.expiresInDays, now),
    };
    const job = newJob(caller.workspaceId, id, input.type, now);
    signal.throwIfAborted();
    await metadata.datasets.create(dataset, job);
    worker.wake();
    return viewAccepted(job);
  } catch (cause) {
    await blobs.remove(key);
    await metadata.garbage.done({ kind: "blob", key });
    throw cause;
  }
}

function names(fileName: string, kind: DocumentKind): Pick<Dataset, "fileName" | "fileExt" | "mimeType"> {
  const { fileExt, mimeType } = kind;
  return { fileName: cleanFileName(fileName, `document.${fileExt}`), fileExt, mimeType };
}

function expiry(days: number | undefined, now: number): number | null {
  return days === undefined || days === -1 ? null : now + Math.round(days * dayMs);
}

interface Settings {
  fileName: string;
  expiresInDays: number | undefined;
}

/** Reads the pieces of an upload: its bytes as a stream, its settings as they come, its size checked on the way. */
function receive(pieces: AsyncIterable<UploadPiece>, maxBytes: number) {
  const settings: Settings = { fileName: "", expiresInDays: undefined };
  const chunks = bytes();
  let hasFile = false;
  let hasUrl = false;
  let size = 0;

  async function* bytes(): AsyncGenerator<Uint8Array, undefined> {
    for await (const piece of pieces) {
      settings.fileName ||= piece.fileName;
      settings.expiresInDays ??= piece.expiresInDays;
      hasFile ||= piece.fileName !== "" || piece.file.length > 0;
      hasUrl ||= piece.url !== "";
      if (hasFile && hasUrl) throw invalid("give either file or url, not both");
      size += piece.file.length;
      if (size > maxBytes) {
        throw tooLarge(`the file is larger than ${megabytes(maxBytes)} MB, the most that one request may upload`);
      }
      if (piece.file.length > 0) yield piece.file;
    }
    return undefined;
  }

  return {
    settings,
    /** The first bytes, enough to identify the document (fewer only if the file is shorter). */
    async head(): Promise<Uint8Array> {
      const parts: Uint8Array[] = [];
      let length = 0;
      while (length < identifyBytes) {
        const { value } = await chunks.next();
        if (value === undefined) break;
        parts.push(value);
        length += value.length;
      }
      if (!hasFile) {
        throw invalid(
          hasUrl ? "this version takes uploads as file only; send the document itself" : "give the document as file",
        );
      }
      return Buffer.concat(parts);
    },
    async *rest(head: Uint8Array): AsyncGenerator<Uint8Array> {
      yield head;
      yield* chunks;
    },
  };
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
