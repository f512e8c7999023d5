import { DomainError, unavailable, unprocessable } from "../domain/errors.ts";
import { orAborted } from "../domain/or-aborted.ts";
import type { Tracing } from "../domain/ports/tracing.ts";
import type { RenditionRef } from "../domain/ports/worker.ts";
import { renditionKey } from "../domain/shares/rendition.ts";
import { documentGone, openPdf } from "./document-pdf.ts";
import { DocumentError, PageError } from "./errors.ts";
import type { PagePool } from "./threads/pool.ts";
import type { IsolatedRetries } from "./process/isolated-retry/trials.ts";
import type { Clock } from "../domain/clock.ts";
import type { DatasetId } from "../domain/ids.ts";
import type { BlobStore } from "../domain/ports/blobs.ts";
import type { Metadata } from "../domain/ports/metadata.ts";
import type { Meter } from "../domain/ports/meter.ts";
import type { RenditionEntry } from "../domain/ports/pages.ts";

export interface RenditionMaker {
  /**
   * Makes the rendition and puts it into the cache; concurrent calls for the same rendition make it only once. Throws
   * `unprocessable` with the reason if the page cannot be rendered.
   */
  make(ref: RenditionRef, options?: RenditionOptions): Promise<void>;
}

interface RenditionOptions {
  /** Ends the caller's wait. */
  readonly signal?: AbortSignal | undefined;
  /** Whether a process ended while it drew the page, which is therefore drawn in a separate process. */
  readonly isSuspect?: boolean | undefined;
}

interface Options extends CacheOptions {
  readonly pool: Pick<PagePool, "renderPage">;
  readonly trials: Pick<IsolatedRetries, "renderPage">;
  readonly tracing: Tracing;
  /** Maximum time of a rendition in milliseconds, including its wait for a thread. */
  readonly renderTimeoutMs: number;
}

/** Time for which a failure is cached, so that a page that times out is not drawn again at every reload. */
const rememberFailureMs = 10 * 60_000;
const rememberedFailures = 1_000;

export function createRenditionMaker(options: Options): RenditionMaker {
  const underWay = new Map<string, Promise<void>>();
  const failures = new Map<string, { readonly error: DomainError; readonly until: number }>();
  /** Renditions that are in the cache's list while their blobs are still being written. */
  const entered = new Map<string, Promise<unknown>>();
  const enter = createCacheEntries(options, entered);

  async function makeAndKeep(ref: RenditionRef, key: string, isSuspect: boolean): Promise<void> {
    const { metadata, blobs, clock } = options;
    if ((await blobs.stat(key)) !== undefined) return;
    const bytes = await render({ ...options, renderer: isSuspect ? options.trials : options.pool }, ref);
    if (!(await enter(key, ref.datasetId, bytes.length))) throw documentGone();
    const writing = blobs.put(key, single(bytes)).finally(() => entered.delete(key));
    entered.set(key, writing);
    try {
      await writing;
    } catch (cause) {
      // A rendition that does not exist must not count as used space, unless another process has made it meanwhile.
      if ((await blobs.stat(key).catch(() => undefined)) === undefined) {
        await metadata.renditions.remove([key]).catch(() => undefined);
      }
      throw cause;
    }
    // If the dataset was deleted meanwhile, its renditions have already been swept.
    if ((await metadata.datasets.getUnscoped(ref.datasetId, clock())) === undefined) {
      await blobs.remove(key);
      await metadata.renditions.remove([key]);
    }
  }

  function remember(key: string, error: DomainError): void {
    if (failures.size >= rememberedFailures) {
      const [oldest] = failures.keys();
      if (oldest !== undefined) failures.delete(oldest);
    }
    failures.set(key, { error, until: options.clock() + rememberFailureMs });
  }

  return {
    // A caller's signal ends only that caller's wait, because others may wait for the same rendition.
    async make(ref, { signal, isSuspect = false } = {}) {
      const key = renditionKey(ref);
      const failure = failures.get(key);
      if (failure !== undefined && failure.until > options.clock()) throw failure.error;
      const making = underWay.get(key) ?? makeAndKeep(ref, key, isSuspect);
      if (!underWay.has(key)) {
        underWay.set(key, making);
        making
          .catch((cause: unknown) => {
            if (cause instanceof DomainError && cause.kind === "unprocessable") remember(key, cause);
          })
          .finally(() => underWay.delete(key));
      }
      await (signal === undefined ? making : orAborted(making, signal));
    },
  };
}

async function render(
  { renderer, tracing, renderTimeoutMs, ...sources }: Options & { readonly renderer: Options["pool"] },
  { datasetId, page, row, width }: RenditionRef,
): Promise<Uint8Array> {
  const pdf = await openPdf(sources, datasetId);
  // After this time the callers no longer wait, and others need the thread.
  const timeout = AbortSignal.timeout(renderTimeoutMs);
  try {
    return await tracing.span("draw page", { datasetId, page, row }, () =>
      renderer.renderPage({ file: pdf.path, page, row, width }, timeout),
    );
  } catch (cause) {
    if (timeout.aborted) throw unavailable(`page ${page} was not ready in time; try again in a moment`);
    if (cause instanceof PageError || cause instanceof DocumentError) {
      throw unprocessable(`page ${page} cannot be shown: ${cause.message}`);
    }
    throw cause;
  } finally {
    await pdf.release();
  }
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

interface CacheOptions {
  readonly metadata: Metadata;
  readonly blobs: BlobStore;
  /** Maximum size of the cache in bytes. */
  readonly cacheBytes: number;
  readonly clock: Clock;
  readonly meter: Meter;
}

/** Number of entries to evict at once, so that there is space for more than the next picture. */
const evictAtOnce = 64;
/** Time after which the sweep removes evicted blobs, in case the process dies before it has removed them itself. */
const removedWithinMs = 60_000;

/**
 * Adds renditions to the cache's list, one at a time, and keeps their total size within the limit by first removing the least
 * recently used ones. It waits for renditions that are being written instead of removing them. If several processes do this at
 * the same time, each may add one more than fits. Returns false if the dataset no longer exists.
 */
function createCacheEntries(
  { metadata, blobs, cacheBytes, clock, meter }: CacheOptions,
  writing: ReadonlyMap<string, Promise<unknown>>,
): (key: string, datasetId: DatasetId, size: number) => Promise<boolean> {
  let turn: Promise<unknown> = Promise.resolve();

  async function makeRoom(size: number): Promise<void> {
    for (;;) {
      let excess = (await metadata.renditions.totalBytes()) + size - cacheBytes;
      if (excess <= 0) return;
      const oldest = await metadata.renditions.oldest(evictAtOnce);
      const evictable = oldest.filter(({ key }) => !writing.has(key));
      if (evictable.length === 0) {
        // A rendition that is larger than the whole cache stays alone in the cache until the next one is added.
        if (writing.size === 0) return;
        await Promise.allSettled(writing.values());
        continue;
      }
      const chosen: RenditionEntry[] = [];
      for (const entry of evictable) {
        if (excess <= 0) break;
        excess -= entry.size;
        chosen.push(entry);
      }
      meter.count("renditionEvictions", {}, await evict(chosen));
    }
  }

  /** Returns the number of evicted entries. The other chosen ones have been used meanwhile, or removed by another process. */
  async function evict(chosen: readonly RenditionEntry[]): Promise<number> {
    const notBefore = clock() + removedWithinMs;
    const evicted = await metadata.renditions.evict(chosen, notBefore);
    for (const { key } of evicted) {
      await blobs.remove(key);
      await metadata.garbage.done({ kind: "blob", key }, notBefore);
    }
    return evicted.length;
  }

  return (key, datasetId, size) => {
    const done = turn.then(async () => {
      await makeRoom(size);
      return metadata.renditions.put(key, datasetId, size, clock());
    });
    turn = done.catch(() => undefined);
    return done;
  };
}
