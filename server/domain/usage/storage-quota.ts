import { type DomainError, tooLarge } from "../errors.ts";
import type { WorkspaceId } from "../ids.ts";
import { sizeText } from "../plans/plan.ts";
import type { Metadata } from "../ports/metadata.ts";

/**
 * An organisation's remaining storage as of a moment ago, for refusing early what will not fit. Whether something
 * fits is decided when it is committed, since others may be storing at the same time.
 */
export interface StorageQuota {
  /** Infinity without a limit; negative if more is stored than the plan allows by now. */
  readonly remainingBytes: number;
  /** The error to throw if there is no room. */
  refuse(what: "the document" | "the part"): DomainError;
}

export async function quotaOf({ usage }: Pick<Metadata, "usage">, workspaceId: WorkspaceId): Promise<StorageQuota> {
  const { plan, maxBytes, storedBytes } = await usage.storage(workspaceId);
  return {
    remainingBytes: maxBytes === null ? Infinity : maxBytes - storedBytes,
    refuse: (what) =>
      tooLarge(
        `there is no room for ${what}: your organisation's plan ${JSON.stringify(plan)} stores at most ` +
          `${sizeText(maxBytes ?? storedBytes)}, of which ${sizeText(storedBytes)} are used; ` +
          "delete datasets, abort uploads that have not ended, or ask for a larger plan",
        { reason: "STORAGE_LIMIT_REACHED" },
      ),
  };
}

interface IncomingBytes {
  readonly quota: StorageQuota;
  readonly what: "the document" | "the part";
  /** Returns the bytes that are freed when these are committed; called once, if the quota is not sufficient. */
  readonly givenBack?: () => Promise<number>;
}

/** Passes the bytes through. Throws `too_large` at the first chunk that exceeds the quota. */
export async function* withinQuota(
  body: AsyncIterable<Uint8Array>,
  { quota, what, givenBack }: IncomingBytes,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  let maxBytes = quota.remainingBytes;
  let isAsked = givenBack === undefined;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes && !isAsked) {
      maxBytes += (await givenBack?.()) ?? 0;
      isAsked = true;
    }
    if (size > maxBytes) throw quota.refuse(what);
    yield chunk;
  }
}
