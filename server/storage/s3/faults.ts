import { StoreError } from "../../domain/storage-fault.ts";

/**
 * Names and codes of transient errors: the endpoint or the connection is down or busy, or the request was damaged on
 * the way.
 */
const passing = new Set([
  "TimeoutError",
  "RequestTimeout",
  "SlowDown",
  "ServiceUnavailable",
  "InternalError",
  "BadDigest",
  "XAmzContentSHA256Mismatch",
  "IncompleteBody",
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ERR_STREAM_PREMATURE_CLOSE",
]);
/** Names of errors that an operator has to fix, besides the statuses 401 and 403. */
const refusing = new Set([
  "CredentialsProviderError",
  "ExpiredToken",
  "InvalidToken",
  "NoSuchBucket",
  "PermanentRedirect",
  "AuthorizationHeaderMalformed",
]);
/** Names of errors for a bucket that is full. */
const filling = new Set(["QuotaExceeded", "XMinioStorageFull", "StorageFull"]);

interface Refusal {
  readonly name: string;
  readonly code: string;
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
}

function refusalIn(cause: Error): Refusal {
  const metadata: unknown = Reflect.get(cause, "$metadata");
  const status: unknown = typeof metadata === "object" && metadata !== null && Reflect.get(metadata, "httpStatusCode");
  const code: unknown = Reflect.get(cause, "code");
  return {
    name: cause.name,
    code: typeof code === "string" ? code : "",
    status: typeof status === "number" ? status : 0,
  };
}

/** Whether the response says that the object or upload does not exist. */
export function isNotThere(cause: unknown): boolean {
  return cause instanceof Error && refusalIn(cause).status === 404 && cause.name !== "NoSuchBucket";
}

/** Returns the HTTP status of the response that an error is about; 0 if there was no response. */
export const statusOf = (cause: unknown): number => (cause instanceof Error ? refusalIn(cause).status : 0);

/** Maps the failure of a request to a `StoreError`; returns other failures unchanged. */
export function storeErrorOf(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof StoreError) return cause;
  const { name, code, status } = refusalIn(cause);
  const what = `the object store: ${cause.message || name}`;
  if (filling.has(name) || status === 507) return new StoreError("store-full", what, { cause });
  if (refusing.has(name) || status === 401 || status === 403 || status === 301) {
    return new StoreError("refused", what, { cause });
  }
  if (
    passing.has(name) ||
    passing.has(code) ||
    status >= 500 ||
    status === 429 ||
    /socket hang up/.test(cause.message)
  ) {
    return new StoreError("unreachable", what, { cause });
  }
  return cause;
}

/**
 * Awaits a request. Rejects with a `StoreError` if the failure maps to one, or with the signal's reason after the
 * signal has fired.
 */
export async function asking<Output>(request: Promise<Output>, signal?: AbortSignal): Promise<Output> {
  try {
    return await request;
  } catch (cause) {
    throw signal?.aborted === true ? signal.reason : storeErrorOf(cause);
  }
}

/** Resolves to undefined if the object does not exist. */
export async function ifThere<Output>(answer: Promise<Output>): Promise<Output | undefined> {
  try {
    return await answer;
  } catch (cause) {
    if (isNotThere(cause)) return undefined;
    throw cause;
  }
}
