/** All that is needed to go on with an upload in parts, also in another process. Plain JSON. */
export interface UploadState {
  /** Key of the session; with it and an API key of the workspace the upload can go on. */
  readonly key: string;
  /** Address of the service that the session is with. */
  readonly server?: string | undefined;
  readonly fileName: string;
  /** Bytes; undefined: the length of a stream is not known before its end. */
  readonly fileSize?: number | undefined;
  /** Bytes per part; the last one may have fewer. */
  readonly partBytes: number;
  readonly vectorize: boolean;
  /** The dataset whose new version the document is; undefined: it becomes a dataset. */
  readonly datasetId?: string | undefined;
  /** Of the file, milliseconds since the epoch; undefined: not known. */
  readonly lastModified?: number | undefined;
  /** When the session ends by itself, milliseconds since the epoch, UTC. */
  readonly expiresAt: number;
  /** The parts that have arrived, by number. */
  readonly parts: readonly UploadedPart[];
}

/** A part that the service has. */
export interface UploadedPart {
  /** From 1. */
  readonly partNumber: number;
  /** SHA-256 of the part's bytes, hexadecimal. */
  readonly etag: string;
  /** Bytes. */
  readonly size: number;
}
