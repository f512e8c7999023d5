import type { Connection } from "../connection.ts";

/** How far an upload has come. */
export interface UploadProgress {
  /** Bytes of the document handed to the connection. */
  readonly sentBytes: number;
  /** Undefined: the length of a stream is not known before its end. */
  readonly totalBytes: number | undefined;
}

/** A document ready to be sent. */
export interface Document {
  readonly fileName: string;
  readonly mimeType: string;
  /** Bytes; undefined: not known before the end. */
  readonly size: number | undefined;
  readonly content: Blob | AsyncIterable<Uint8Array>;
}

/** What goes into a multipart request; the fields go before the file. */
export interface UploadForm {
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly file: Document;
}

export interface SendOptions {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: UploadProgress) => void) | undefined;
}

/** What differs between Node and browsers. */
export interface Runtime {
  /** The document at a path. Where there are no files this is an error. */
  openPath(path: string): Promise<Document>;
  /** Sends the form to a path of the service; resolves with the body of the answer. Fails with `DrsError`. */
  sendForm(connection: Connection, path: string, form: UploadForm, options: SendOptions): Promise<unknown>;
}
