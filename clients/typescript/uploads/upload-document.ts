import { runtime } from "#runtime";
import type { Connection } from "../connection.ts";
import type { Job } from "../jobs/job.ts";
import { type Bytes, bytesOfMemory, readPieces, type StoredDocument } from "./bytes.ts";
import { headBytes } from "./kind.ts";
import { settingsOf, type UploadOptions, type UploadSettings } from "./options.ts";
import { enoughPartBytes, type Part, partsOfDocument, partsOfStream, type PartSupply } from "./parts.ts";
import { createMeter } from "./progress.ts";
import { createRetrier, type RetrySettings } from "./retry.ts";
import { sendParts } from "./send-parts.ts";
import { sendAddress, sendInSingleRequest } from "./single-request.ts";
import { discardIfRefused, endSession, openSession, type SessionDocument } from "./session.ts";
import { namelessDocument, openSource, type UploadSource } from "./source.ts";
import type { UploadedPart } from "./state.ts";

/**
 * Sends a document in one request or in parts; memory use does not depend on its size. Throws `DrsError` if the service
 * or the network fails or rejects it, `TypeError` and `RangeError` for invalid arguments, the system's error for a path
 * that cannot be opened, and the reason of the signal once that is aborted.
 */
export async function uploadDocument(
  connection: Connection,
  source: UploadSource,
  options: UploadOptions & { readonly datasetId?: string | undefined } = {},
  retry?: RetrySettings,
): Promise<Job> {
  const settings = settingsOf(options, retry);
  settings.signal?.throwIfAborted();
  if (source instanceof URL) return sendAddress(connection, source, settings);
  if (source instanceof ReadableStream) return uploadStream(connection, source, settings);
  const document = await openSource(source);
  try {
    return await uploadStored(connection, document, settings);
  } finally {
    await document.close();
  }
}

async function uploadStored(connection: Connection, document: StoredDocument, settings: UploadSettings): Promise<Job> {
  const { mimeType, lastModified, size } = document;
  const fileName = settings.fileName ?? document.fileName;
  // An empty document cannot be sent in parts; the service rejects it with a message.
  if (size === 0 || (settings.resume === undefined && size <= settings.singleRequestBytes)) {
    return sendInSingleRequest(connection, { fileName, mimeType, bytes: document.range(0, size) }, settings);
  }
  const partBytes = enoughPartBytes(size, settings.partBytes);
  const head = (): Promise<Uint8Array> => firstBytes(document.range(0, Math.min(size, headBytes)));
  return uploadInParts(
    connection,
    { fileName, mimeType, lastModified, size, head, sha256: () => runtime.sha256(document.range(0, size)) },
    { partBytes, supply: partsOfDocument(document, partBytes), settings },
  );
}

/** Sends a stream that ends within its first part in one request, every other one in parts. */
async function uploadStream(
  connection: Connection,
  stream: ReadableStream<Uint8Array>,
  settings: UploadSettings,
): Promise<Job> {
  const { signal, partBytes, singleRequestBytes, resume } = settings;
  const fileName = settings.fileName ?? resume?.fileName ?? namelessDocument;
  const supply = partsOfStream(stream, partBytes);
  const cancel = (): void => supply.cancel(signal?.reason);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    const first = await supply.next();
    signal?.throwIfAborted();
    const { size, bytes } = first ?? { size: 0, bytes: bytesOfMemory(new Uint8Array()) };
    const fitsOnePart = size < partBytes;
    if (first === undefined || (fitsOnePart && resume === undefined && size <= singleRequestBytes)) {
      return await sendInSingleRequest(connection, { fileName, mimeType: "", bytes }, settings);
    }
    const head = (): Promise<Uint8Array> => firstBytes(bytes);
    const sha256 = async (): Promise<string | undefined> => (fitsOnePart ? runtime.sha256(bytes) : undefined);
    return await uploadInParts(
      connection,
      { fileName, mimeType: "", lastModified: undefined, size: fitsOnePart ? size : undefined, head, sha256 },
      { partBytes, supply: withFirst(first, supply), settings },
    );
  } finally {
    signal?.removeEventListener("abort", cancel);
    supply.cancel();
  }
}

function withFirst(part: Part, supply: PartSupply): PartSupply {
  let first: Part | undefined = part;
  return {
    async next() {
      const taken = first;
      first = undefined;
      return taken ?? supply.next();
    },
    cancel: (reason) => supply.cancel(reason),
  };
}

async function firstBytes(bytes: Bytes): Promise<Uint8Array> {
  for await (const piece of readPieces(bytes)) return piece.slice(0, headBytes);
  return new Uint8Array();
}

interface PartsWork {
  readonly partBytes: number;
  readonly supply: PartSupply;
  readonly settings: UploadSettings;
}

async function uploadInParts(
  connection: Connection,
  document: SessionDocument,
  { partBytes, supply, settings }: PartsWork,
): Promise<Job> {
  const { signal, onProgress, onState, partsAtOnce, retry } = settings;
  const retrier = createRetrier(retry, signal);
  const session = await openSession({ connection, document, settings, partBytes, retrier });
  if (session.job !== undefined) return session.job;
  const { state, known } = session;
  const { key, fileName } = state;
  onState?.({ ...state, parts: [] });
  const meter = createMeter({ totalBytes: document.size, onProgress });
  const onArrived = (arrived: readonly UploadedPart[]): void => onState?.({ ...state, parts: arrived });
  const work = { connection, key, retrier, signal };
  const { silenceMs } = retry;
  try {
    const parts = await sendParts({ ...work, fileName, known, supply, partsAtOnce, meter, silenceMs, onArrived });
    meter.complete();
    return await endSession({ ...work, parts });
  } catch (cause) {
    await discardIfRefused(connection, key, cause);
    throw cause;
  }
}
