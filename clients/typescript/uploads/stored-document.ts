import type { Bytes } from "./bytes.ts";

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
