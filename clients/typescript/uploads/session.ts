import { createClient } from "@connectrpc/connect";
import { type Connection, newIdempotencyKey } from "../connection.ts";
import { DrsError } from "../errors.ts";
import { jsonOf } from "../datasets/metadata.ts";
import { IfExists } from "../gen/drs/v1/enums_pb.ts";
import { UploadService } from "../gen/drs/v1/uploads_pb.ts";
import { type Job, jobOf } from "../jobs/job.ts";
import { createJobs } from "../jobs/jobs.ts";
import { present } from "../wire-names.ts";
import { type FileKind, kindOf } from "./kind.ts";
import type { UploadSettings } from "./options.ts";
import { mayPass, mayRepeat, type Retrier } from "./retry.ts";
import type { DocumentFacts } from "./bytes.ts";
import type { UploadedPart, UploadState } from "./state.ts";
import { createUploads, type Upload } from "./uploads.ts";

/** A document that needs a session. */
export interface SessionDocument extends DocumentFacts {
  /** Size in bytes; undefined if not known before the end. */
  readonly size: number | undefined;
  /** Returns the first bytes. */
  head(): Promise<Uint8Array>;
  /**
   * Returns the SHA-256 of all bytes, hexadecimal; undefined if they can be read only once, or this runtime cannot
   * compute it.
   */
  sha256(): Promise<string | undefined>;
}

/** A session to continue, or the job that it has led to. */
export type Session =
  | {
      readonly state: Omit<UploadState, "parts">;
      /** The parts that it already has, by number. */
      readonly known: ReadonlyMap<number, UploadedPart>;
      readonly job?: undefined;
    }
  | { readonly job: Job };

interface SessionWork {
  readonly connection: Connection;
  readonly document: SessionDocument;
  readonly settings: UploadSettings;
  readonly partBytes: number;
  readonly retrier: Retrier;
}

/**
 * Time limit for ending a session, milliseconds: assembling the parts of a large document takes a while, and asking
 * again does not restart it.
 */
const endTimeoutMs = 600_000;

/** Resumes the session that the settings name, or starts one. */
export async function openSession(work: SessionWork): Promise<Session> {
  const { resume, resumeOnly } = work.settings;
  if (resume === undefined) return startSession(work);
  const resumed = await resumeSession(work, resume);
  if (resumed !== undefined) return resumed;
  if (!resumeOnly) return startSession(work);
  throw new DrsError({
    code: "not_found",
    message: `the upload session ${resume.key} is gone or was for another document; upload the document again`,
  });
}

async function startSession(work: SessionWork): Promise<Session> {
  const { connection, document, settings, partBytes, retrier } = work;
  const { signal, datasetId, vectorize = false, expiresInDays, metadata, callbackUrl = "" } = settings;
  const { idempotencyKey = newIdempotencyKey() } = settings;
  const { fileName, size, lastModified } = document;
  const sha256 = settings.ifExists === "return" ? await document.sha256() : undefined;
  const kind: FileKind = await kindOf(document, () => document.head());
  const request = {
    fileName,
    ...kind,
    // For a new version, the service knows whether the previous one is vectorized.
    jobType: datasetId !== undefined && settings.vectorize === undefined ? "" : vectorize ? "vectorize" : "extract",
    datasetId: datasetId ?? "",
    expiryInDays: expiresInDays,
    callbackUrl,
    fileSize: size,
    ...(metadata && { metadata: jsonOf(metadata) }),
    ...(sha256 !== undefined && { ifExists: IfExists.RETURN, sha256 }),
  };
  const client = createClient(UploadService, connection.transport);
  const start = (): ReturnType<typeof client.startUpload> =>
    connection.call((call) => client.startUpload(request, call), { signal, idempotencyKey });
  const answer = await retrier.run(start, (error) => mayPass(error) || mayRepeat(error));
  const { key, expiresAt, job } = present(answer.upload, "upload session");
  if (job !== undefined) return { job: jobOf(job) };
  const { server } = connection;
  const state = { key, server, fileName, fileSize: size, partBytes, vectorize, datasetId, lastModified, expiresAt };
  // With the caller's own idempotency key, the service may have returned the session of an earlier call.
  const earlier =
    settings.idempotencyKey === undefined ? undefined : await resumeSession(work, { ...state, parts: [] });
  return earlier ?? { state, known: new Map() };
}

/** Resumes a session. Resolves with undefined if the session is gone, or was for another document. */
async function resumeSession(work: SessionWork, resume: UploadState): Promise<Session | undefined> {
  const { connection, document, settings, partBytes, retrier } = work;
  const { signal, datasetId, vectorize = resume.vectorize } = settings;
  const { size, lastModified } = document;
  if (datasetId !== resume.datasetId) return undefined;
  if (!isSame(size, resume.fileSize) || vectorize !== resume.vectorize) return undefined;
  let upload: Upload;
  try {
    upload = await retrier.run(() => createUploads(connection).get(resume.key, { signal }));
  } catch (cause) {
    if (cause instanceof DrsError && cause.code === "not_found") return undefined;
    throw cause;
  }
  if (!isSame(size, upload.fileSize ?? undefined)) return undefined;
  const { jobId, fileName, expiresAt } = upload;
  if (jobId !== null) {
    // Its parts can no longer be compared, so a file that has changed since counts as another document.
    if (!isSame(lastModified, resume.lastModified)) return undefined;
    return { job: await retrier.run(() => createJobs(connection).get(jobId, { signal })) };
  }
  const { key } = resume;
  const { server } = connection;
  return {
    state: { key, server, fileName, fileSize: size, partBytes, vectorize, datasetId, lastModified, expiresAt },
    known: new Map(upload.parts.map((part) => [part.partNumber, part])),
  };
}

function isSame(one: number | undefined, other: number | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

interface SessionEnd {
  readonly connection: Connection;
  readonly key: string;
  readonly parts: readonly UploadedPart[];
  readonly retrier: Retrier;
  readonly signal: AbortSignal | undefined;
}

/**
 * Ends a session, which assembles its parts. If the response is lost, it asks again: ending a session twice returns the
 * same job.
 */
export async function endSession({ connection, key, parts, retrier, signal }: SessionEnd): Promise<Job> {
  const client = createClient(UploadService, connection.transport);
  const request = { key, parts: [...parts] };
  const answer = await retrier.run(() =>
    connection.call((call) => client.endUpload(request, { ...call, timeoutMs: endTimeoutMs }), { signal }),
  );
  return jobOf(present(answer.job, "job"));
}

/**
 * Deletes a session whose document was rejected: its parts would only take up space until they expire. After any other
 * failure the session can be resumed, for example once there is space again.
 */
export async function discardIfRefused(connection: Connection, key: string, cause: unknown): Promise<void> {
  if (!(cause instanceof DrsError) || cause.status !== 415) return;
  try {
    await createUploads(connection).abort(key);
  } catch {
    // The caller has to see the rejection; the session also expires by itself.
  }
}
