import { resolve } from "node:path";
import type { Drs, Job, UploadOptions, UploadProgress, UploadState } from "@drs/client";
import { isDrsError } from "../../failures.ts";
import { formatBytes } from "../../output/amounts.ts";
import { formatDuration } from "../../ui/duration.ts";
import type { Show, Step } from "../progress/board.ts";
import type { SavedUpload } from "../sessions/saved-upload.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { inputStream } from "../sources/input.ts";
import type { DocumentOptions, FileSource, Source } from "../sources/source.ts";

/**
 * Documents larger than this go in parts, bytes: what a broken connection costs stays small, and an interrupted upload
 * can go on.
 */
const singleRequestBytes = 32_000_000;

export interface TransferSettings extends DocumentOptions {
  /** What names the server from one run to the next. */
  readonly server: string;
  readonly workspaceId: () => Promise<string | undefined>;
  readonly signal: AbortSignal;
  /** How long the service may stay away, milliseconds. */
  readonly patienceMs: number;
  /** The service does not answer, or answers again. */
  readonly onAway: (away: boolean) => void;
}

/** Carries the bytes of documents, large files in sessions that can be resumed. */
export interface Transfers {
  /** Resolves with the accepted job. With the same key a document is accepted once, however often it is sent. */
  send(source: Source, idempotencyKey: string, show: Show): Promise<Job>;
  /** What is left of an upload of this very file to this server. */
  unfinished(source: FileSource): SavedUpload | undefined;
}

export function createTransfers(drs: Drs, settings: TransferSettings, sessions: Sessions): Transfers {
  const { server, workspaceId, signal, patienceMs, onAway } = settings;
  const unfinished = (source: FileSource): SavedUpload | undefined => sessions.of(identityOf(source, settings, server));

  const sendPath = (source: FileSource, options: UploadOptions): Promise<Job> => {
    const { datasetId, vectorize } = optionsOf(source, settings);
    if (datasetId === undefined) return drs.datasets.upload(source.path, options);
    const { expiresInDays: _expiry, metadata: _metadata, ifExists: _choice, ...version } = options;
    // What is searchable stays so.
    return drs.datasets.replace(datasetId, source.path, { ...version, vectorize: vectorize || undefined });
  };

  /** Goes on with the session that was left unfinished, and keeps what a later run needs to go on with this one. */
  const sendFile = async (source: FileSource, options: UploadOptions): Promise<Job> => {
    const resume = unfinished(source)?.state;
    let key = resume?.key;
    const workspace = source.size > singleRequestBytes ? await workspaceId() : undefined;
    try {
      const onState = (state: UploadState): void => {
        // The service has forgotten the one before.
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
        patienceMs,
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

/** The session is gone, or can never become a document: too large, or of none of the formats. */
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
  // A remaining time below a second is gone before it is read.
  const left = remainingMs === undefined || remainingMs < 1_000 ? undefined : `${formatDuration(remainingMs)} left`;
  // In one request the answer follows at once.
  const assembling = totalBytes === sentBytes && sentBytes > singleRequestBytes;
  return {
    note: assembling ? "waiting for the parts to be put together" : "uploading",
    fraction: totalBytes === undefined ? undefined : totalBytes === 0 ? 1 : sentBytes / totalBytes,
    amount: `${formatBytes(sentBytes)}${whole}${rate}`,
    left,
    sentBytes,
  };
}
