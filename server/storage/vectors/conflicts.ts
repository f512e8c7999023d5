import { setTimeout as sleep } from "node:timers/promises";
import { type StorageFault, StoreError } from "../../domain/storage-fault.ts";

/*
 * LanceDB's Node API gives every failure as an Error with the code GenericFailure and a sentence, so that sentences are all
 * there is to tell failures apart. This is the one place where they are looked at; its tests hold sentences of the version
 * in use, and those of the stores (test/stores/vectors-s3.test.ts) make them happen.
 */

/** Another process wrote in between: the same write, done again, goes through. */
const conflictText = /commit conflict|concurrent (?:writers?|commit|transaction)|too many concurrent/i;

/** A reader held a version whose files were cleaned away meanwhile: the next read takes the newest version. */
const vanishedText = /not found|no such file/i;

const maxAttempts = 8;
const firstDelayMs = 20;

/** Repeats a write that lost a race for the table's next version, with growing pauses of random length. */
export async function retryConflicts<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (cause) {
      if (attempt === maxAttempts || !matches(cause, conflictText)) throw cause;
      await sleep(firstDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random()));
    }
  }
}

/** Repeats a read once that failed because maintenance removed an old version under it; `again`: what then reads the newest. */
export async function retryVanished<Result>(read: () => Promise<Result>, again = read): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    if (!matches(cause, vanishedText)) throw cause;
    return again();
  }
}

/** What LanceDB and the libraries beneath it say when what they read is not what was written. */
const damageText = /lance|arrow|datafusion|was not found|panic/i;
/** What has another reason, and would not be better after a table has been mended. */
const otherText =
  /no space left|disk quota|too many open files|permission denied|read-only|memory limit|cannot allocate/i;

/** Whether a failed read or write of a table could be due to damaged files. */
export const mayBeDamage = (cause: unknown): boolean =>
  matches(cause, damageText) && !matches(cause, otherText) && !matches(cause, conflictText);

/** There is no table, or none any more. */
const noTableText = /^Table '[^']*' was not found|Not found: \S*\.lance\/_versions(?![\w/])/;

/** Whether a table is not there, or was removed since it was opened. */
export const isNoTable = (cause: unknown): boolean => matches(cause, noTableText);

/** Whether a table could not be made because there is one. */
export const isTableThere = (cause: unknown): boolean => matches(cause, /already exists/i);

/** What an object store, and the way to it, say through LanceDB; the first that fits is meant. */
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

/** The cause, as a `StoreError` where the object store is away or refuses. */
export function remoteErrorOf(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof StoreError) return cause;
  const fault = faultTexts.find(([, text]) => text.test(cause.message))?.[0];
  return fault === undefined ? cause : new StoreError(fault, `the vector store: ${cause.message}`, { cause });
}

function matches(cause: unknown, text: RegExp): boolean {
  return cause instanceof Error && text.test(cause.message);
}
