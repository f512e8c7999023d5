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
  /** A short-lived address from which the store itself gives the bytes; undefined where there is none. */
  readonly presign?: ((contentDisposition: string) => Promise<string>) | undefined;
}
