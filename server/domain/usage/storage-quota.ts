import { type DomainError, tooLarge } from "../errors.ts";
import type { WorkspaceId } from "../ids.ts";
import { sizeText } from "../plans/allowance.ts";
import type { Metadata } from "../ports/metadata.ts";

/**
 * What an organisation may still store, as it was a moment ago: for refusing early what will not fit. Whether it does
 * fit is decided where it is entered, since others may be storing at the same time.
 */
export interface StorageQuota {
  /** Infinite without a limit, negative where more is stored than the plan allows by now. */
  readonly remainingBytes: number;
  /** What to throw if something has no room. */
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

interface Coming {
  readonly quota: StorageQuota;
  readonly what: "the document" | "the part";
  /** Bytes that are given back when these are entered; asked for once, if the room does not suffice. */
  readonly givenBack?: () => Promise<number>;
}

/** The same bytes. Throws `too_large` with the first of them that there is no room for. */
export async function* withinQuota(
  body: AsyncIterable<Uint8Array>,
  { quota, what, givenBack }: Coming,
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
