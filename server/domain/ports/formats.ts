import type { DocumentKind } from "../documents/kind.ts";

/** Bytes that can be read anywhere: a stored blob, a local file. */
export interface ByteSource {
  /** Bytes. */
  readonly size: number;
  /** The bytes from `start` to `end` (not included); fewer only where the source ends. */
  read(start: number, end: number): Promise<Uint8Array>;
}

/** Tells by their content what files are. */
export interface DocumentFormats {
  /**
   * Refuses what the first bytes already show to be no document that drs reads, so that nothing of it is stored. Give at
   * least `identifyBytes`, fewer only if the file is shorter. Throws `unsupported`, saying what the file is instead.
   */
  refuseAtOnce(head: Uint8Array): void;
  /**
   * Identifies a document by its content, whatever its name or declared type says. Reads a few small ranges. Throws
   * `unsupported`, saying what the file is instead, and what the source throws.
   */
  identify(source: ByteSource): Promise<DocumentKind>;
}
