/**
 * Stores bytes by key. Keys are made by drs (`originals/ds_…`, `renditions/ds_…/7.jpg`), never by users: lower-case
 * letters, digits and `_ - . /`.
 */
export interface BlobStore {
  /**
   * Stores the bytes durably under the key and replaces any earlier blob; readers see all of the bytes or none. If the
   * body or the signal fails, nothing is left behind and the failure is rethrown. The memory of a chunk may be
   * reused once the next one is requested: a store that keeps chunks copies them.
   */
  put(key: string, body: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<StoredBlob>;
  /** Undefined if there is no blob. */
  stat(key: string): Promise<{ readonly size: number } | undefined>;
  /**
   * Opens the bytes or a range of them; undefined if there is no blob. They are readable to the end even if the
   * blob is removed meanwhile. From a store on the network they are readable while the connection lasts; after
   * that, reading fails and returns no other bytes.
   */
  get(key: string, range?: ByteRange): Promise<OpenBlob | undefined>;
  /**
   * Provides the blob as a local file, for readers that seek; the file stays unchanged until it is released.
   * Undefined if there is no blob.
   */
  asFile(key: string): Promise<LocalFile | undefined>;
  /** Removing a missing blob is not an error. */
  remove(key: string): Promise<void>;
  removePrefix(prefix: string): Promise<void>;
  /**
   * Stores the concatenated bytes of the sources under the key, as `put` would; the sources stay. Returns undefined
   * and stores nothing if a source is missing.
   */
  assemble(key: string, sources: readonly string[], signal?: AbortSignal): Promise<StoredBlob | undefined>;
  /**
   * Returns a URL from which anybody can GET the bytes or a range of them until it expires, in stores that support
   * it. The blob need not exist.
   */
  presign?(key: string, answer: PresignedAnswer): Promise<string>;
  /**
   * Removes the remains of writes that were interrupted more than a day before `now`, ms since the epoch. The store
   * removes other remains when it is opened.
   */
  removeAbandoned(now: number): Promise<void>;
  /** All finished blobs, in no order; blobs that are written or removed meanwhile may be included or not. */
  list(): AsyncIterable<{ readonly key: string; readonly size: number }>;
  /**
   * Bytes that may still be stored without using the space that accepted work needs; negative if that space is in
   * use.
   */
  freeBytes(): Promise<number>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface StoredBlob {
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the bytes, hexadecimal. */
  readonly sha256: string;
}

/** The response headers and lifetime of a presigned URL. */
export interface PresignedAnswer {
  readonly contentType: string;
  readonly contentDisposition: string;
  readonly expiresInSeconds: number;
}

/** Byte offsets, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface OpenBlob {
  /** Bytes of the whole blob. */
  readonly size: number;
  /** The requested bytes; ending the iteration early closes the blob. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface LocalFile {
  readonly path: string;
  /** To be called when done; it removes the file if it is a temporary copy. */
  release(): Promise<void>;
}
