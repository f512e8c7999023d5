import { setTimeout as sleep } from "node:timers/promises";
import { type StorageFault, StoreError } from "../../domain/storage-fault.ts";

/** The code of all errors that LanceDB's Node API throws. */
const lanceCode = "GenericFailure";

/** Whether the failure comes from LanceDB or a library that it uses, and not from a callback. */
export const isOfLance = (cause: unknown): cause is Error =>
  cause instanceof Error && "code" in cause && cause.code === lanceCode;

const maxAttempts = 8;
const firstDelayMs = 20;

/**
 * Repeats a failed write, with growing pauses of random length, because another process may have written in between.
 * The write may take effect twice.
 */
export async function retryWrite<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (cause) {
      if (attempt === maxAttempts || !isOfLance(cause)) throw cause;
      await sleep(firstDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random()));
    }
  }
}

/**
 * Patterns for LanceDB's messages about failures of an object store or the network; the first match counts. No decision
 * about data depends on them: they tell operators what to fix, and callers whether to try again.
 */
const faultTexts: readonly (readonly [StorageFault, RegExp])[] = [
  [
    "refused",
    /status:? 40[13]\b|\b(?:NoSuchBucket|SignatureDoesNotMatch|AccessDenied|ExpiredToken|InvalidAccessKeyId)\b/,
  ],
  [
    "refused",
    /CredentialsNotLoaded|the credential provider was not enabled|no providers in chain provided credentials/i,
  ],
  ["store-full", /\b(?:QuotaExceeded|XMinioStorageFull)\b|status:? 507\b/],
  [
    "unreachable",
    /error sending request|error decoding response body|HttpError|status:? (?:5\d\d|429)\b|\b(?:SlowDown|ServiceUnavailable|RequestTimeout)\b/,
  ],
];

/** Converts the cause to a `StoreError` if the object store is unreachable or refuses the request. */
export function remoteErrorOf(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof StoreError) return cause;
  const fault = faultTexts.find(([, text]) => text.test(cause.message))?.[0];
  return fault === undefined ? cause : new StoreError(fault, `the vector store: ${cause.message}`, { cause });
}
