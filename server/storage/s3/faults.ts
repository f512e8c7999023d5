import { StoreError } from "../../domain/storage-fault.ts";

/** What an endpoint or a connection says when it is away, busy or has been misunderstood on the way. */
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
/** What an operator has to see to, beside the statuses 401 and 403. */
const refusing = new Set([
  "CredentialsProviderError",
  "ExpiredToken",
  "InvalidToken",
  "NoSuchBucket",
  "PermanentRedirect",
  "AuthorizationHeaderMalformed",
]);
/** What endpoints call a bucket that may hold no more. */
const filling = new Set(["QuotaExceeded", "XMinioStorageFull", "StorageFull"]);

interface Refusal {
  readonly name: string;
  readonly code: string;
  /** Of HTTP; 0: there was no answer. */
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

/** Whether the answer was that there is no such object or upload. */
export function isNotThere(cause: unknown): boolean {
  return cause instanceof Error && refusalIn(cause).status === 404 && cause.name !== "NoSuchBucket";
}

/** The status of the answer that an error is about; 0 if there was none. */
export const statusOf = (cause: unknown): number => (cause instanceof Error ? refusalIn(cause).status : 0);

/** The failure of a request to an object store, as the rest of drs understands it. */
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

/** The outcome of a request; rejects with a `StoreError` where there is one, and with the signal's reason once it has fired. */
export async function asking<Output>(request: Promise<Output>, signal?: AbortSignal): Promise<Output> {
  try {
    return await request;
  } catch (cause) {
    throw signal?.aborted === true ? signal.reason : storeErrorOf(cause);
  }
}

/** Undefined if there is no such object. */
export async function ifThere<Output>(answer: Promise<Output>): Promise<Output | undefined> {
  try {
    return await answer;
  } catch (cause) {
    if (isNotThere(cause)) return undefined;
    throw cause;
  }
}
