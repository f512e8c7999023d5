/** What a file looked like, without being read. */
export interface FileFacts {
  /** Bytes. */
  readonly size: number;
  /** Of its content, milliseconds since the epoch. */
  readonly modifiedAt: number;
  /** Of its inode, milliseconds since the epoch: it also moves where a program sets the time of the content back. */
  readonly changedAt: number;
}

/** The content of a file as it was read. */
export interface KnownSum extends FileFacts {
  /** Hexadecimal. */
  readonly sha256: string;
  /** When reading began, milliseconds since the epoch. */
  readonly readAt: number;
}

/** A dataset of the service that stands for a file. */
export interface Held {
  readonly datasetId: string;
  /** Of its document, hexadecimal; while a new version is being read of that one. */
  readonly sha256: string;
  /** Its job is unfinished, has succeeded, or has failed. */
  readonly status: "working" | "ready" | "failed";
  /** Undefined: not known. */
  readonly jobId?: string | undefined;
  readonly vectorized: boolean;
  /** The file has another name than the service knows its document by. */
  readonly isMisnamed?: boolean | undefined;
  /** The service had it before, and this file was taken for its document: another program may count on it. */
  readonly isAdopted?: true | undefined;
  /** The version that serves while a new one is being read, and stays if that cannot be. */
  readonly before?: Pick<Held, "sha256" | "status" | "vectorized"> | undefined;
}

/** A document that was sent, or was about to be, and whose answer has not been seen. */
export interface Sending {
  readonly sha256: string;
  readonly fileName: string;
  readonly vectorize: boolean;
  readonly idempotencyKey: string;
  /** The dataset that it is to be a new version of; undefined: it becomes a dataset of its own. */
  readonly datasetId?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** What is known of one file of a synced folder. */
export interface SyncRecord {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly sum?: KnownSum | undefined;
  readonly held?: Held | undefined;
  /** Datasets of earlier contents; they are deleted once that of the present one is ready. */
  readonly replaced: readonly Held[];
  readonly sendings: readonly Sending[];
  /** The content that the service does not take as a document, or (`isFailure`) has taken and could not read. */
  readonly refused?: { readonly sha256: string; readonly reason: string; readonly isFailure?: true } | undefined;
}

export function emptyRecord(path: string): SyncRecord {
  return { path, replaced: [], sendings: [] };
}

/** All datasets that stand for the file or did, the present one first. */
export function datasetsOf({ held, replaced }: SyncRecord): readonly Held[] {
  return held === undefined ? replaced : [held, ...replaced];
}

/** Whether nothing is known that would have to be kept. */
export function isEmpty({ sum, held, replaced, sendings, refused }: SyncRecord): boolean {
  return (
    sum === undefined && held === undefined && refused === undefined && replaced.length === 0 && sendings.length === 0
  );
}
