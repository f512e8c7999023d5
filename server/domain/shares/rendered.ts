import type { Domain } from "../domain.ts";
import { unavailable } from "../errors.ts";
import type { ByteRange } from "../ports/blobs.ts";
import type { RenditionRef } from "../ports/worker.ts";
import { renditionKey } from "./rendition.ts";

/**
 * An evicted rendition is rendered again at most this often in one request; after that the store must be broken.
 */
const maxAttempts = 5;

/** A rendition in the cache. */
export interface Rendered {
  /** Bytes. */
  readonly size: number;
  open(range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
}

/** Opens the rendition from the cache, rendering it first if it is missing. Throws as `PageWorker.render` does. */
export async function openRendered(domain: Domain, ref: RenditionRef, signal?: AbortSignal): Promise<Rendered> {
  const key = renditionKey(ref);
  const size = await sizeOf(domain, ref, key, signal);
  domain.renditionUses.record(key, domain.clock());
  return { size, open: (range) => openCached(domain, ref, { key, range, signal }) };
}

async function sizeOf(
  domain: Domain,
  ref: RenditionRef,
  key: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const blob = await domain.blobs.stat(key);
    if (attempt === 0) domain.meter.count("renditions", { result: blob === undefined ? "miss" : "hit" });
    if (blob !== undefined) return blob.size;
    await render(domain, ref, signal);
  }
  throw notKept();
}

function render({ tracing, worker }: Domain, ref: RenditionRef, signal: AbortSignal | undefined): Promise<void> {
  const { datasetId, page, row } = ref;
  return tracing.span("wait for page", { datasetId, page, row }, () => worker.render(ref, signal));
}

interface CacheRead {
  readonly key: string;
  readonly range: ByteRange | undefined;
  readonly signal: AbortSignal | undefined;
}

async function openCached(
  domain: Domain,
  ref: RenditionRef,
  { key, range, signal }: CacheRead,
): Promise<AsyncIterable<Uint8Array>> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const blob = await domain.blobs.get(key, range);
    if (blob !== undefined) return blob.body;
    await render(domain, ref, signal);
  }
  throw notKept();
}

const notKept = (): Error =>
  unavailable("the rendition could not be kept; make the rendition cache larger (--cache-bytes)");
