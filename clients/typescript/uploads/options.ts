import type { CreateOptions } from "../connection.ts";
import type { Metadata } from "../datasets/metadata.ts";
import type { UploadProgress } from "./progress.ts";
import { defaultRetrySettings, type RetrySettings } from "./retry.ts";
import type { UploadState } from "./state.ts";

export type { UploadSource } from "./source.ts";

export interface UploadOptions extends CreateOptions {
  /** Also makes every page searchable. Default: false, or as a resumed session was started. */
  readonly vectorize?: boolean | undefined;
  /** Days from now until the dataset expires; -1 means never. Default: never. A resumed session keeps its own. */
  readonly expiresInDays?: number | undefined;
  /** Metadata of the dataset. A resumed session keeps its own. */
  readonly metadata?: Metadata | undefined;
  /**
   * An address that is notified when the job ends, signed with the workspace's secret; default: none. A resumed session
   * keeps its own.
   */
  readonly callbackUrl?: string | undefined;
  /**
   * "return": if the workspace already has the same bytes, only their SHA-256 is sent, and the result is the job of that
   * dataset. The dataset stays unchanged, except that it is vectorized if the upload asks for that and it is not yet.
   * The SHA-256 is computed first. Streams of several parts, and in browsers documents over 256 MB, are always sent. Not
   * for addresses. Default: "create".
   */
  readonly ifExists?: "create" | "return" | undefined;
  /** Default: the name of the file, or "document". */
  readonly fileName?: string | undefined;
  /** Called at most every 50 ms, and once when all bytes have been sent. */
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  /**
   * Larger documents are sent in parts, bytes; default 99,000,000. 0 means always in parts. For streams, the size of
   * the first part decides.
   */
  readonly singleRequestBytes?: number | undefined;
  /** Bytes per part, 5,242,880 to 100,000,000; default 16 MiB. Rounded up if there would be more than 10,000 parts. */
  readonly partBytes?: number | undefined;
  /** Number of parts that are sent at the same time; default 4. That many parts of a stream are held in memory. */
  readonly partsAtOnce?: number | undefined;
  /**
   * Resumes an earlier session of the same document: parts that arrived are compared with the document's own bytes and
   * not sent again. If the session is gone or was for another document, a new one is started.
   */
  readonly resume?: UploadState | undefined;
  /** Only resumes: fails with `DrsError` (`not_found`) instead of starting a new session. */
  readonly resumeOnly?: boolean | undefined;
  /** Called whenever there is more progress to resume from; save the last state as JSON for `resume`. */
  readonly onState?: ((state: UploadState) => void) | undefined;
  /**
   * How long the service may be unavailable before that is an error, milliseconds; default 300,000. 0 disables retries.
   */
  readonly retryTimeoutMs?: number | undefined;
  /** Called with true when the service stops answering and is tried again, and with false when it answers. */
  readonly onAway?: ((away: boolean) => void) | undefined;
}

/** Options of a new version of a dataset's document; the metadata of the dataset stays. */
export interface ReplaceOptions extends Omit<UploadOptions, "expiresInDays" | "metadata" | "ifExists"> {
  /**
   * Makes every page of the new version searchable before it replaces the previous one. Default: true if the pages of
   * the previous version are searchable.
   */
  readonly vectorize?: boolean | undefined;
}

/** The checked options with their defaults. */
export interface UploadSettings {
  /** The dataset that gets the document as a new version; undefined if it becomes a new dataset. */
  readonly datasetId: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** The caller's own key; undefined for a new key for each request that creates something. */
  readonly idempotencyKey: string | undefined;
  readonly vectorize: boolean | undefined;
  readonly expiresInDays: number | undefined;
  readonly metadata: Metadata | undefined;
  readonly callbackUrl: string | undefined;
  readonly ifExists: "create" | "return" | undefined;
  readonly fileName: string | undefined;
  readonly onProgress: ((progress: UploadProgress) => void) | undefined;
  readonly singleRequestBytes: number;
  readonly partBytes: number;
  readonly partsAtOnce: number;
  readonly resume: UploadState | undefined;
  readonly resumeOnly: boolean;
  readonly onState: ((state: UploadState) => void) | undefined;
  readonly retry: RetrySettings;
}

/** The service's limit, less a margin for anything else in the request that a proxy may count. */
const defaultSingleRequestBytes = 99_000_000;
/** The service's limits, in the stricter reading of MB. */
const minPartBytes = 5 * 2 ** 20;
const maxPartBytes = 100_000_000;
const defaultPartBytes = 16 * 2 ** 20;
const maxPartsAtOnce = 64;

/** Applies defaults and checks. Throws `RangeError` for numbers out of range. */
export function settingsOf(
  options: UploadOptions & { readonly datasetId?: string | undefined },
  retry: RetrySettings = defaultRetrySettings,
): UploadSettings {
  const { singleRequestBytes = defaultSingleRequestBytes, partsAtOnce = 4, resume } = options;
  // Parts of another size would not match those of the session.
  const partBytes = resume?.partBytes ?? options.partBytes ?? defaultPartBytes;
  demand("singleRequestBytes", singleRequestBytes, 0, Number.MAX_SAFE_INTEGER);
  demand("partBytes", partBytes, minPartBytes, maxPartBytes);
  demand("partsAtOnce", partsAtOnce, 1, maxPartsAtOnce);
  const retryTimeoutMs = options.retryTimeoutMs ?? retry.retryTimeoutMs;
  demand("retryTimeoutMs", retryTimeoutMs, 0, Number.MAX_SAFE_INTEGER);
  return {
    datasetId: options.datasetId,
    signal: options.signal,
    idempotencyKey: options.idempotencyKey,
    vectorize: options.vectorize,
    expiresInDays: options.expiresInDays,
    metadata: options.metadata,
    callbackUrl: options.callbackUrl,
    ifExists: options.ifExists,
    fileName: options.fileName,
    onProgress: options.onProgress,
    singleRequestBytes,
    partBytes,
    partsAtOnce,
    resume,
    resumeOnly: options.resumeOnly ?? false,
    onState: options.onState,
    retry: { ...retry, retryTimeoutMs, onAway: options.onAway },
  };
}

function demand(name: string, value: number, min: number, max: number): void {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${name} must be a whole number from ${min} to ${max}, not ${value}`);
  }
}
