import type { ByteRange } from "../ports/blobs.ts";

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
