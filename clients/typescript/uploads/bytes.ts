/** Bytes that can be read more than once. */
export type Bytes = Blob | Pieces;

export interface Pieces {
  /** Size in bytes. */
  readonly size: number;
  /** Reads them from the start. The memory of a piece may be reused as soon as the next one is requested. */
  read(): AsyncIterable<Uint8Array>;
}

/**
 * Bytes per piece: large enough that reading, hashing and sending have no overhead, small enough to stay in the
 * processor's cache between the three.
 */
export const pieceBytes = 2 ** 20;

/** Returns a view of memory as bytes to send. */
export function bytesOfMemory(memory: Uint8Array): Pieces {
  return {
    size: memory.byteLength,
    async *read() {
      for (let at = 0; at < memory.byteLength; at += pieceBytes) yield memory.subarray(at, at + pieceBytes);
    },
  };
}

/** Reads bytes of either kind piece by piece. */
export function readPieces(bytes: Bytes): AsyncIterable<Uint8Array> {
  return bytes instanceof Blob ? readBlob(bytes) : bytes.read();
}

/** Reads larger pieces than the Blob's own stream. */
async function* readBlob(blob: Blob): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < blob.size; at += pieceBytes) {
    yield new Uint8Array(await blob.slice(at, at + pieceBytes).arrayBuffer());
  }
}

/** Properties of a document that its source knows. */
export interface DocumentFacts {
  readonly fileName: string;
  /** Media type; empty if not known. */
  readonly mimeType: string;
  /** Modification time, milliseconds since the epoch; undefined if not known. */
  readonly lastModified: number | undefined;
}

/** A document that can be read at any position, repeatedly. */
export interface StoredDocument extends DocumentFacts {
  /** Size in bytes. */
  readonly size: number;
  /**
   * Returns a range of bytes. Reading them fails with `DrsError` (aborted) if the document has changed since it was
   * opened.
   */
  range(start: number, end: number): Bytes;
  close(): Promise<void>;
}
