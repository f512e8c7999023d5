import { resolve } from "node:path";
import type { Drs, Job, UploadOptions, UploadProgress, UploadState } from "@drs/client";
import { isDrsError } from "../../failures.ts";
import { formatBytes, formatDuration } from "../../output/amounts.ts";
import type { Show, Step } from "../progress/board.ts";
import type { SavedUpload, Sessions } from "../sessions/saved-uploads.ts";
import { type DocumentOptions, type FileSource, inputStream, type Source } from "../sources/source.ts";

/**
 * Maximum size of a document that is sent in one request, bytes. Larger ones are sent in parts: a broken connection
 * loses little, and an interrupted upload can be resumed.
 */
const singleRequestBytes = 32_000_000;

export interface TransferSettings extends DocumentOptions {
  /** Identifies the server across runs. */
  readonly server: string;
  readonly workspaceId: () => Promise<string | undefined>;
  readonly signal: AbortSignal;
  /** How long to retry while the service does not answer, milliseconds. */
  readonly retryTimeoutMs: number;
  /** Called when the service stops answering, and when it answers again. */
  readonly onAway: (away: boolean) => void;
}

/** Transfers documents, large files in sessions that can be resumed. */
export interface Transfers {
  /** Resolves with the accepted job. With the same key a document is accepted once, however often it is sent. */
  send(source: Source, idempotencyKey: string, show: Show): Promise<Job>;
  /** Returns the unfinished upload of exactly this file to this server. */
  unfinished(source: FileSource): SavedUpload | undefined;
}

export function createTransfers(drs: Drs, settings: TransferSettings, sessions: Sessions): Transfers {
  const { server, workspaceId, signal, retryTimeoutMs, onAway } = settings;
  const unfinished = (source: FileSource): SavedUpload | undefined => sessions.of(identityOf(source, settings, server));

  const sendPath = (source: FileSource, options: UploadOptions): Promise<Job> => {
    const { datasetId, vectorize } = optionsOf(source, settings);
    if (datasetId === undefined) return drs.datasets.upload(source.path, options);
    const { expiresInDays: _expiry, metadata: _metadata, ifExists: _choice, ...version } = options;
    // A searchable dataset stays searchable.
    return drs.datasets.replace(datasetId, source.path, { ...version, vectorize: vectorize || undefined });
  };

  /** Resumes an unfinished session, and saves what a later run needs to resume this one. */
  const sendFile = async (source: FileSource, options: UploadOptions): Promise<Job> => {
    const resume = unfinished(source)?.state;
    let key = resume?.key;
    const workspace = source.size > singleRequestBytes ? await workspaceId() : undefined;
    try {
      const onState = (state: UploadState): void => {
        // The service no longer knows the earlier session.
        if (key !== undefined && key !== state.key) sessions.forget(key);
        key = state.key;
        const file = identityOf(source, settings, server);
        sessions.keep({ ...file, workspaceId: workspace, savedAt: Date.now(), state });
      };
      const job = await sendPath(source, { ...options, resume, onState });
      if (key !== undefined) sessions.forget(key);
      return job;
    } catch (cause) {
      if (key !== undefined && isOver(cause)) sessions.forget(key);
      throw cause;
    }
  };

  return {
    unfinished,
    send(source, idempotencyKey, show) {
      const options: UploadOptions = {
        ...optionsOf(source, settings),
        signal,
        retryTimeoutMs,
        idempotencyKey,
        singleRequestBytes,
        onAway,
        onProgress: (progress) => show(stepOf(progress)),
      };
      if (source.kind === "file") return sendFile(source, options);
      return drs.datasets.upload(source.kind === "url" ? source.url : inputStream(source.input), options);
    },
  };
}

/**
 * Returns whether the session is gone or can never become a document: it is too large, or has an unsupported format.
 */
function isOver(cause: unknown): boolean {
  return isDrsError(cause) && (cause.code === "not_found" || cause.status === 413 || cause.status === 415);
}

function identityOf(
  source: FileSource,
  settings: DocumentOptions,
  server: string,
): Omit<SavedUpload, "workspaceId" | "savedAt" | "state"> {
  const { path, size, modifiedAt } = source;
  return { server, path: resolve(path), size, modifiedAt, ...optionsOf(source, settings) };
}

function optionsOf(source: Source, settings: DocumentOptions): DocumentOptions {
  const { datasetId, vectorize, expiresInDays, metadata, callbackUrl, ifExists, fileName } =
    (source.kind === "file" ? source.options : undefined) ?? settings;
  return { datasetId, vectorize, expiresInDays, metadata, callbackUrl, ifExists, fileName };
}

function stepOf({ sentBytes, totalBytes, bytesPerSecond, remainingMs }: UploadProgress): Step {
  const whole = totalBytes === undefined ? "" : ` of ${formatBytes(totalBytes)}`;
  const rate = bytesPerSecond > 0 && sentBytes !== totalBytes ? `, ${formatBytes(bytesPerSecond)}/s` : "";
  // A remaining time below a second would be over before anybody has read it.
  const left = remainingMs === undefined || remainingMs < 1_000 ? undefined : `${formatDuration(remainingMs)} left`;
  // After a single request the response follows at once.
  const assembling = totalBytes === sentBytes && sentBytes > singleRequestBytes;
  return {
    note: assembling ? "waiting for the service to assemble the parts" : "uploading",
    fraction: totalBytes === undefined ? undefined : totalBytes === 0 ? 1 : sentBytes / totalBytes,
    amount: `${formatBytes(sentBytes)}${whole}${rate}`,
    left,
    sentBytes,
  };
}
