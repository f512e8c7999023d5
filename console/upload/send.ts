import { type Drs, type Job, type UploadProgress, type UploadState } from "@drs/client";
import type { UploadEntry } from "./entry.ts";

/** Bytes; larger files are sent in parts of this size, so that an interruption costs only some seconds. */
const partBytes = 8 * 2 ** 20;
const partsAtOnce = 2;
/** Milliseconds: the lifetime of an upload session. */
const patienceMs = 86_400_000;

/** The callbacks of an upload while it is sent. */
interface Listener {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: UploadProgress) => void;
  readonly onState: (state: UploadState) => void;
  readonly onAway: (isAway: boolean) => void;
}

/** Sends a file, or the parts that the service does not have yet. Resolves with undefined if another tab is sending it. */
export async function send(drs: Drs, entry: UploadEntry, file: File, listener: Listener): Promise<Job | undefined> {
  const { id, wishes, state } = entry;
  const upload = async (): Promise<Job> =>
    drs.datasets.upload(file, {
      ...wishes,
      ...listener,
      idempotencyKey: id,
      singleRequestBytes: partBytes,
      partBytes,
      partsAtOnce,
      patienceMs,
      ...(state && { resume: state }),
    });
  const { locks }: { readonly locks?: LockManager } = navigator;
  // Pages loaded over HTTP from another machine have no locks.
  if (locks === undefined) return upload();
  return locks.request(`drs upload ${id}`, { ifAvailable: true }, async (lock) =>
    lock === null ? undefined : upload(),
  );
}
