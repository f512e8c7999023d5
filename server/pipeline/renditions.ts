import { DomainError, unavailable, unprocessable } from "../domain/errors.ts";
import { orAborted } from "../domain/or-aborted.ts";
import type { Tracing } from "../domain/ports/tracing.ts";
import type { RenditionRef } from "../domain/ports/worker.ts";
import { renditionKey } from "../domain/shares/rendition.ts";
import { documentGone, openPdf } from "./document-pdf.ts";
import { DocumentError, PageError } from "./errors.ts";
import { type CacheOptions, createCacheEntries } from "./rendition-cache.ts";
import type { PagePool } from "./threads/pool.ts";
import type { Trials } from "./process/trials/trials.ts";

export interface RenditionMaker {
  /**
   * Makes the rendition and puts it into the cache; concurrent calls for the same one make it once. Throws
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
  readonly trials: Pick<Trials, "renderPage">;
  readonly tracing: Tracing;
  /** Maximum time of a rendition in milliseconds, including its wait for a thread. */
  readonly renderTimeoutMs: number;
}

/** A failure is remembered this long, so that a page that times out is not drawn again at every reload. */
const rememberFailureMs = 10 * 60_000;
const rememberedFailures = 1_000;

export function createRenditionMaker(options: Options): RenditionMaker {
  const underWay = new Map<string, Promise<void>>();
  const failures = new Map<string, { readonly error: DomainError; readonly until: number }>();
  /** Renditions in the cache's list whose blobs are still being written. */
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
      // A rendition that does not exist must not count as used space; another process may have made it.
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
    // The signal of one caller only ends its own wait, because others may wait for the same rendition.
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
  // After this time its callers have gone, and others need the thread.
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
