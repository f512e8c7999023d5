import type { DocumentKind } from "../documents/kind.ts";

/** Bytes with random access: a stored blob, a local file. */
export interface ByteSource {
  /** Bytes. */
  readonly size: number;
  /** The bytes from `start` to `end` (not included); fewer only at the end of the source. */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** Identifies files by their content. */
export interface DocumentFormats {
  /**
   * Rejects a file whose first bytes already show that drs cannot read it, before anything is stored. Takes at
   * least `identifyBytes`, fewer only if the file is shorter. Throws `unsupported` with the detected type.
   */
  refuseAtOnce(head: Uint8Array): void;
  /**
   * Identifies a document by its content, whatever its name or declared type says. Reads a few small ranges. Throws
   * `unsupported` with the detected type, and what the source throws.
   */
  identify(source: ByteSource): Promise<DocumentKind>;
}
