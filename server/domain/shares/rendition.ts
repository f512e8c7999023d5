import { renditionPrefix } from "../datasets/dataset.ts";
import type { Domain } from "../domain.ts";
import { unavailable } from "../errors.ts";
import type { RenditionRow } from "../items/item.ts";
import type { ByteRange } from "../ports/blobs.ts";
import type { RenditionRef } from "../ports/worker.ts";

/** Must change whenever the same page would be rendered to other bytes, so that caches drop the old ones. */
export const renditionVersion = 1;

/** Blob key of the rendition of a page. */
export function renditionKey({ datasetId, page, row, width }: RenditionRef): string {
  const sized = width === undefined ? "" : `-${width}`;
  return `${renditionPrefix(datasetId)}${renditionVersion}-${page}${sized}.${row}`;
}

export const renditionTypes: Readonly<Record<RenditionRow, string>> = {
  pdf: "application/pdf",
  jpg: "image/jpeg",
};

/**
 * Maximum number of times that one request renders a rendition because it has been evicted; after that the store must
 * be broken.
 */
const maxAttempts = 5;

/** A rendition in the cache. */
interface Rendered {
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

/** The bytes behind a share link, found and ready to be opened. */
export interface SharedContent {
  readonly contentType: string;
  readonly fileName: string;
  /** Bytes. */
  readonly size: number;
  /** Without quotes; the same as long as the bytes are the same. */
  readonly etag: string;
  /** Milliseconds since the epoch, UTC. */
  readonly modifiedAt: number;
  open(range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
  /** A short-lived URL from which the store itself serves the bytes; undefined if the store has no such URLs. */
  readonly presign?: ((contentDisposition: string) => Promise<string>) | undefined;
}
