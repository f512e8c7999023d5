import type { Bytes } from "./bytes.ts";

/** What a source says about its document. */
export interface DocumentFacts {
  readonly fileName: string;
  /** Empty: not known. */
  readonly mimeType: string;
  /** Milliseconds since the epoch; undefined: not known. */
  readonly lastModified: number | undefined;
}

/** A document that can be read from anywhere, again and again. */
export interface StoredDocument extends DocumentFacts {
  /** Bytes. */
  readonly size: number;
  /** Reading them fails with `DrsError` (aborted) if the document is no longer what it was when it was opened. */
  range(start: number, end: number): Bytes;
  close(): Promise<void>;
}
