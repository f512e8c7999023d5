/**
 * Bytes by key. Keys are made by drs (`originals/ds_…`, `renditions/ds_…/7.jpg`), never by users: lower-case letters,
 * digits and `_ - . /`.
 */
export interface BlobStore {
  /**
   * Stores the bytes durably under the key; readers see all of them or none. Replaces what was there.
   * When the body or the signal fails nothing is left behind and the failure is rethrown. The bytes of a chunk may be
   * overwritten once the next one is asked for: a store that keeps them copies them.
   */
  put(key: string, body: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<StoredBlob>;
  /** Undefined if there is none. */
  stat(key: string): Promise<{ readonly size: number } | undefined>;
  /**
   * Opens the bytes or a range of them; undefined if there is none. They are readable to the end even if the blob is removed
   * meanwhile; from a store on the network as long as the connection lasts, after which reading fails and gives no other bytes.
   */
  get(key: string, range?: ByteRange): Promise<OpenBlob | undefined>;
  /** The blob as a local file, for readers that seek; it stays as it is until it is released. Undefined if there is none. */
  asFile(key: string): Promise<LocalFile | undefined>;
  /** Removing what is not there is no error. */
  remove(key: string): Promise<void>;
  removePrefix(prefix: string): Promise<void>;
  /**
   * Stores the bytes of the sources, one after another, under the key, as `put` would; the sources stay. Undefined, and
   * nothing stored, if a source is not there.
   */
  assemble(key: string, sources: readonly string[], signal?: AbortSignal): Promise<StoredBlob | undefined>;
  /**
   * An address from which anybody can GET the bytes or a range of them until it expires, in stores that have such. There need
   * not be a blob under the key.
   */
  presign?(key: string, answer: PresignedAnswer): Promise<string>;
  /** Ends what writes have left that were cut off more than a day before `now`, ms since the epoch; beside what the opening of the store removes. */
  removeAbandoned(now: number): Promise<void>;
  /** All finished blobs, in no order; those that come or go meanwhile may be among them or not. */
  list(): AsyncIterable<{ readonly key: string; readonly size: number }>;
  /** Bytes that may still be stored without using the room that accepted work needs; negative if that room is used. */
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

/** What the address of a blob answers with. */
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
  /** The bytes asked for; ending the iteration early closes the blob. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface LocalFile {
  readonly path: string;
  /** Call when done; a copy made for the occasion is removed then. */
  release(): Promise<void>;
}
