import type { Connection } from "../connection.ts";
import type { Bytes } from "./bytes.ts";
import type { StoredDocument } from "./stored-document.ts";

/** What goes into a multipart request; the fields go before the file. */
export interface UploadForm {
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Undefined: the fields are all. */
  readonly file: FormFile | undefined;
  /** Name of a field for the SHA-256 of the file's bytes, hexadecimal; undefined: it is not wanted. */
  readonly checksumField?: string | undefined;
}

export interface FormFile {
  readonly fileName: string;
  /** Empty: not known. */
  readonly mimeType: string;
  readonly bytes: Bytes;
}

export interface SendOptions {
  /** Default: POST. */
  readonly method?: "POST" | "PUT" | undefined;
  readonly signal: AbortSignal | undefined;
  /** A connection on which nothing moves for so long is taken for dead, milliseconds. */
  readonly silenceMs: number;
  /** Makes the request be done once; undefined: it may be repeated as it is. */
  readonly idempotencyKey?: string | undefined;
  /** Bytes of the file that have been handed to the connection so far. */
  readonly onSent: (sentBytes: number) => void;
}

export interface Sent {
  /** The body of the answer, parsed. */
  readonly answer: unknown;
  /** Of the file's bytes as they were sent; undefined: not wanted, or this runtime cannot tell. */
  readonly sha256: string | undefined;
}

/** What differs between Node and browsers. */
export interface Runtime {
  /** The document at a path. Where there are no files this is an error. */
  openPath(path: string): Promise<StoredDocument>;
  /** Sends the form to a path of the service. Fails with `DrsError`; an abort rejects with the reason of the signal. */
  sendForm(connection: Connection, path: string, form: UploadForm, options: SendOptions): Promise<Sent>;
  /** SHA-256, hexadecimal; undefined: this runtime cannot tell. */
  sha256(bytes: Bytes): Promise<string | undefined>;
}
