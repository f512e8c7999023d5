/** Size and timestamps of a file, known without reading it. */
export interface FileFacts {
  /** Bytes. */
  readonly size: number;
  /** Modification time of the content, milliseconds since the epoch. */
  readonly modifiedAt: number;
  /**
   * Change time of the inode, milliseconds since the epoch: it also changes if a program sets the modification time
   * back.
   */
  readonly changedAt: number;
}

/** The checksum of a file as it was read. */
export interface KnownSum extends FileFacts {
  /** Hexadecimal. */
  readonly sha256: string;
  /** When reading began, milliseconds since the epoch. */
  readonly readAt: number;
}

/** A dataset on the service that stands for a file. */
export interface Held {
  readonly datasetId: string;
  /** SHA-256 of its document, hexadecimal; while a new version is being read, that of the new version. */
  readonly sha256: string;
  /** Whether its job is unfinished, has succeeded, or has failed. */
  readonly status: "working" | "ready" | "failed";
  /** Undefined if not known. */
  readonly jobId?: string | undefined;
  readonly vectorized: boolean;
  /** The file and its document on the service have different names. */
  readonly isMisnamed?: boolean | undefined;
  /** The dataset existed before, and this file was matched to it: another program may depend on it. */
  readonly isAdopted?: true | undefined;
  /** The version that is served while a new one is being read, and afterwards if reading the new one fails. */
  readonly before?: Pick<Held, "sha256" | "status" | "vectorized"> | undefined;
}

/** A document that was sent, or was about to be, and whose response has not been seen. */
export interface Sending {
  readonly sha256: string;
  readonly fileName: string;
  readonly vectorize: boolean;
  readonly idempotencyKey: string;
  /** The dataset that gets the document as a new version; undefined if it becomes a new dataset. */
  readonly datasetId?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** The state of one file of a synced folder. */
export interface SyncRecord {
  /** Path relative to the folder, with slashes. */
  readonly path: string;
  readonly sum?: KnownSum | undefined;
  readonly held?: Held | undefined;
  /** Datasets of earlier contents; they are deleted once the current one is ready. */
  readonly replaced: readonly Held[];
  readonly sendings: readonly Sending[];
  /** The content that the service has rejected as a document or (`isFailure`) accepted and could not read. */
  readonly refused?: { readonly sha256: string; readonly reason: string; readonly isFailure?: true } | undefined;
}

export function emptyRecord(path: string): SyncRecord {
  return { path, replaced: [], sendings: [] };
}

/** Returns all current and earlier datasets of the file, the current one first. */
export function datasetsOf({ held, replaced }: SyncRecord): readonly Held[] {
  return held === undefined ? replaced : [held, ...replaced];
}

/** Returns whether the record contains nothing worth saving. */
export function isEmpty({ sum, held, replaced, sendings, refused }: SyncRecord): boolean {
  return (
    sum === undefined && held === undefined && refused === undefined && replaced.length === 0 && sendings.length === 0
  );
}
