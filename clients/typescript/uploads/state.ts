/** Everything that is needed to resume an upload in parts, also in another process. It is plain JSON. */
export interface UploadState {
  /** Key of the session; it and an API key of the workspace suffice to resume. */
  readonly key: string;
  /** Address of the service that has the session. */
  readonly server?: string | undefined;
  readonly fileName: string;
  /** Bytes; undefined for a stream, whose length is not known before its end. */
  readonly fileSize?: number | undefined;
  /** Bytes per part; the last one may have fewer. */
  readonly partBytes: number;
  readonly vectorize: boolean;
  /** The dataset that gets the document as a new version; undefined if it becomes a new dataset. */
  readonly datasetId?: string | undefined;
  /** Modification time of the file, milliseconds since the epoch; undefined if not known. */
  readonly lastModified?: number | undefined;
  /** When the session expires, milliseconds since the epoch, UTC. */
  readonly expiresAt: number;
  /** The parts that have arrived, by number. */
  readonly parts: readonly UploadedPart[];
}

/** A part that the service has. */
export interface UploadedPart {
  /** Number of the part, from 1. */
  readonly partNumber: number;
  /** SHA-256 of the part's bytes, hexadecimal. */
  readonly etag: string;
  /** Size in bytes. */
  readonly size: number;
}
