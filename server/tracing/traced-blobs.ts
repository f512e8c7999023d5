import type { BlobStore } from "../domain/ports/blobs.ts";
import type { Tracing } from "../domain/ports/tracing.ts";

/**
 * Wraps the store so that transfers are children of the active span. The span of `get` ends when the bytes begin.
 */
export function traceBlobs(blobs: BlobStore, tracing: Tracing): BlobStore {
  return {
    ...blobs,
    put: (...input) => tracing.span("blobs put", {}, () => blobs.put(...input)),
    get: (...input) => tracing.span("blobs get", {}, () => blobs.get(...input)),
    asFile: (...input) => tracing.span("blobs asFile", {}, () => blobs.asFile(...input)),
    assemble: (...input) => tracing.span("blobs assemble", {}, () => blobs.assemble(...input)),
  };
}
