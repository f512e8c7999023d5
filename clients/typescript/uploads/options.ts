import type { CreateOptions } from "../connection.ts";
import type { Metadata } from "../datasets/metadata.ts";
import type { UploadProgress } from "./progress.ts";
import { defaultRetrySettings, type RetrySettings } from "./retry.ts";
import type { UploadState } from "./state.ts";

export type { UploadSource } from "./source.ts";

export interface UploadOptions extends CreateOptions {
  /** Makes every page searchable as well. Default: false, or what a resumed session was started with. */
  readonly vectorize?: boolean | undefined;
  /** Days from now until the dataset expires; -1: never. Default: never. A resumed session keeps its own. */
  readonly expiresInDays?: number | undefined;
  /** What is said of the dataset. A resumed session keeps its own. */
  readonly metadata?: Metadata | undefined;
  /** An address that is told when the job ends, signed with the workspace's secret; default: none. As above, if resumed. */
  readonly callbackUrl?: string | undefined;
  /**
   * "return": where the workspace has the same bytes already, the answer is the job of that dataset, which stays as it is, and
   * nothing is sent but their SHA-256; to be searched it is vectorized if it is not. The SHA-256 is computed first. Streams of
   * several parts, and in browsers documents over 256 MB, are sent all the same. Not for addresses. Default: "create".
   */
  readonly ifExists?: "create" | "return" | undefined;
  /** Default: the name of the file, or "document". */
  readonly fileName?: string | undefined;
  /** Called at most every 50 ms, and once when all bytes have been sent. */
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  /** Larger documents go up in parts, bytes; default 99,000,000. 0: always in parts. Streams go by their first part. */
  readonly singleRequestBytes?: number | undefined;
  /** Bytes per part, 5,242,880 to 100,000,000; default 16 MiB. Rounded up where there would be more than 10,000 parts. */
  readonly partBytes?: number | undefined;
  /** Default 4. Of a stream so many parts are held in memory. */
  readonly partsAtOnce?: number | undefined;
  /**
   * Goes on with an earlier session of the same document: parts that arrived are compared with the document's own bytes
   * and not sent again. If the session is gone or was for another document, a new one is started.
   */
  readonly resume?: UploadState | undefined;
  /** Only go on with `resume`: where a new session would be started, fail with `DrsError` (`not_found`) instead. */
  readonly resumeOnly?: boolean | undefined;
  /** Called whenever there is more to go on from; the last one, kept as JSON, is what `resume` wants. */
  readonly onState?: ((state: UploadState) => void) | undefined;
  /** How long the service may stay away before that is an error, milliseconds; default 300,000. 0: no second tries. */
  readonly patienceMs?: number | undefined;
  /** Called with true when the service stops answering and is tried again, with false when it answers. */
  readonly onAway?: ((away: boolean) => void) | undefined;
}

/** How a dataset gets a new version of its document; what is said of the dataset stays. */
export interface ReplaceOptions extends Omit<UploadOptions, "expiresInDays" | "metadata" | "ifExists"> {
  /** Makes every page of the new version searchable before it takes the place of the one before. Default: if those are. */
  readonly vectorize?: boolean | undefined;
}

/** The options with their defaults, checked. */
export interface UploadSettings {
  /** The dataset whose new version the document is; undefined: it becomes a dataset. */
  readonly datasetId: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** The caller's own; undefined: one for each request that creates something. */
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

/** The service's limit, less what a proxy in between may count as well. */
const defaultSingleRequestBytes = 99_000_000;
/** The service's limits, in the stricter reading of MB. */
const minPartBytes = 5 * 2 ** 20;
const maxPartBytes = 100_000_000;
const defaultPartBytes = 16 * 2 ** 20;
const maxPartsAtOnce = 64;

/** Throws `RangeError` for numbers that cannot be meant. */
export function settingsOf(
  options: UploadOptions & { readonly datasetId?: string | undefined },
  retry: RetrySettings = defaultRetrySettings,
): UploadSettings {
  const { singleRequestBytes = defaultSingleRequestBytes, partsAtOnce = 4, resume } = options;
  // Parts of another size would not be the parts that the session has.
  const partBytes = resume?.partBytes ?? options.partBytes ?? defaultPartBytes;
  demand("singleRequestBytes", singleRequestBytes, 0, Number.MAX_SAFE_INTEGER);
  demand("partBytes", partBytes, minPartBytes, maxPartBytes);
  demand("partsAtOnce", partsAtOnce, 1, maxPartsAtOnce);
  const patienceMs = options.patienceMs ?? retry.patienceMs;
  demand("patienceMs", patienceMs, 0, Number.MAX_SAFE_INTEGER);
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
    retry: { ...retry, patienceMs, onAway: options.onAway },
  };
}

function demand(name: string, value: number, min: number, max: number): void {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${name} must be a whole number from ${min} to ${max}, not ${value}`);
  }
}
