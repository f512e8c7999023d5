import { resolve } from "node:path";
import type { Job, UploadOptions, UploadProgress } from "@drs/client";
import { isDrsError } from "../../failures.ts";
import { formatBytes } from "../../output/amounts.ts";
import { formatDuration } from "../../ui/duration.ts";
import type { Step } from "../progress/board.ts";
import { inputStream } from "../sources/input.ts";
import { type SavedUpload, savedUploadOf } from "../sessions/saved-uploads.ts";
import type { Run, Show } from "../run.ts";
import type { FileSource, Source, DocumentOptions } from "../sources/source.ts";

/**
 * Documents larger than this go in parts, bytes: what a broken connection costs stays small, and an interrupted upload
 * can go on.
 */
const singleRequestBytes = 32_000_000;

/** Sends a document; resolves with its accepted job. With the same key it is accepted once, however often it is sent. */
export async function send(source: Source, run: Run, idempotencyKey: string, show: Show): Promise<Job> {
  const { drs, signal, patienceMs } = run;
  const { vectorize, expiresInDays, fileName } = optionsOf(source, run);
  const options: UploadOptions = {
    vectorize,
    expiresInDays,
    fileName,
    signal,
    patienceMs,
    idempotencyKey,
    singleRequestBytes,
    onProgress: (progress) => show(stepOf(progress)),
  };
  if (source.kind === "file") return sendFile(source, run, options);
  return drs.datasets.upload(source.kind === "url" ? source.url : inputStream(source.input), options);
}

/** Goes on with the upload that was left unfinished, and keeps what a later one needs to go on with this. */
async function sendFile(source: FileSource, run: Run, options: UploadOptions): Promise<Job> {
  const resume = unfinishedUploadOf(source, run)?.state;
  let key = resume?.key;
  const workspaceId = source.size > singleRequestBytes ? await run.workspaceId() : undefined;
  try {
    const job = await run.drs.datasets.upload(source.path, {
      ...options,
      resume,
      onState(state) {
        // The service has forgotten the one before.
        if (key !== undefined && key !== state.key) forget(key, run);
        key = state.key;
        const upload = { ...identityOf(source, run), workspaceId, savedAt: Date.now(), state };
        run.unfinished.set(key, upload);
        run.saved.keep(upload).catch(run.onUnsaved);
      },
    });
    if (key !== undefined) forget(key, run);
    return job;
  } catch (cause) {
    if (key !== undefined && isOver(cause)) forget(key, run);
    throw cause;
  }
}

function forget(key: string, { unfinished, saved, onUnsaved }: Run): void {
  unfinished.delete(key);
  saved.forget(key).catch(onUnsaved);
}

/** The session is gone, or can never become a document: too large, or of none of the formats. */
function isOver(cause: unknown): boolean {
  return isDrsError(cause) && (cause.code === "not_found" || cause.status === 413 || cause.status === 415);
}

/** What is left of an upload of this very file to this server. */
export function unfinishedUploadOf(source: FileSource, run: Run): SavedUpload | undefined {
  return savedUploadOf([...run.unfinished.values()], identityOf(source, run));
}

function identityOf(source: FileSource, run: Run): Omit<SavedUpload, "workspaceId" | "savedAt" | "state"> {
  const { vectorize, expiresInDays, fileName } = optionsOf(source, run);
  const { path, size, modifiedAt } = source;
  return { server: run.server, path: resolve(path), size, modifiedAt, vectorize, expiresInDays, fileName };
}

function optionsOf(source: Source, run: Run): DocumentOptions {
  return (source.kind === "file" ? source.options : undefined) ?? run;
}

function stepOf({ sentBytes, totalBytes, bytesPerSecond, remainingMs }: UploadProgress): Step {
  const whole = totalBytes === undefined ? "" : ` of ${formatBytes(totalBytes)}`;
  const rate = bytesPerSecond > 0 && sentBytes !== totalBytes ? `, ${formatBytes(bytesPerSecond)}/s` : "";
  // A remaining time below a second is gone before it is read.
  const left = remainingMs === undefined || remainingMs < 1_000 ? "" : `, ${formatDuration(remainingMs)} left`;
  // In one request the answer follows at once.
  const assembling = totalBytes === sentBytes && sentBytes > singleRequestBytes;
  return {
    note: assembling ? "waiting for the parts to be put together" : "uploading",
    fraction: totalBytes === undefined ? undefined : totalBytes === 0 ? 1 : sentBytes / totalBytes,
    amount: `${formatBytes(sentBytes)}${whole}${rate}${left}`,
    sentBytes,
  };
}
