import type { Drs, Job, UploadProgress, UploadState } from "@drs/client";
import { randomId } from "../shell/browser.ts";
import {
  entryOf,
  failureOf,
  isSameFile,
  type PickedFile,
  statusOfLeft,
  type StoredUpload,
  type UploadEntry,
  type UploadOptions,
} from "./entry.ts";
import { fileOf } from "./picked-files.ts";
import { UploadEntries, type UploadStore } from "./upload-store.ts";

/** Files sent at a time; a browser has six connections to a server. */
const filesAtOnce = 2;
/** Milliseconds that a finished upload stays listed unless cleared: as long as the service lists its job. */
const doneListedMs = 86_400_000;
/** Bytes; larger files are sent in parts of this size, so that an interruption costs only some seconds. */
const partBytes = 8 * 2 ** 20;
const partsAtOnce = 2;
/** Milliseconds: the lifetime of an upload session. */
const retryTimeoutMs = 86_400_000;

interface UploadsOptions {
  readonly drs: Drs;
  readonly owner: string;
  readonly store: UploadStore;
  /** Called with each document that has arrived. */
  readonly onDone: () => void;
}

/** The uploads of this browser, started here or by an earlier page. They continue while other views are shown. */
export class Uploads {
  readonly #drs: Drs;
  readonly #owner: string;
  readonly #store: UploadStore;
  readonly #onDone: () => void;
  readonly #list: UploadEntries;
  readonly #files = new Map<string, File>();
  readonly #running = new Map<string, AbortController>();

  constructor({ drs, owner, store, onDone }: UploadsOptions) {
    this.#drs = drs;
    this.#owner = owner;
    this.#store = store;
    this.#onDone = onDone;
    this.#list = new UploadEntries(store);
    this.entries = this.#list.all;
    this.subscribe = this.#list.subscribe;
    // Without its database the browser has no uploads of earlier pages.
    this.#load().catch(() => undefined);
  }

  /** Newest first. The same array until something changes. */
  readonly entries: () => readonly UploadEntry[];
  readonly subscribe: (listener: () => void) => () => void;

  /** Uploads files. A file that an interrupted upload waits for resumes that upload. */
  add(picked: readonly PickedFile[], wishes: UploadOptions): void {
    for (const { file, handle } of picked) {
      const entries = this.entries();
      const waiting = entries.find((entry) => needsFile(entry, this.#files.has(entry.id)) && isSameFile(entry, file));
      if (waiting !== undefined) {
        this.#queue(waiting.id, file, handle);
        continue;
      }
      const id = randomId();
      const { name: fileName, size: fileSize, lastModified } = file;
      const owner = this.#owner;
      const facts = { id, owner, fileName, fileSize, lastModified, addedAt: Date.now(), wishes, isPaused: false };
      this.#files.set(id, file);
      this.#list.show([entryOf({ ...facts, ...(handle && { handle }) }, "waiting"), ...entries]);
      this.#list.save(id);
    }
    this.#begin();
  }

  pause(id: string): void {
    this.#list.change(id, { status: "paused", isPaused: true });
    this.#list.save(id);
    this.#running.get(id)?.abort();
  }

  /** Resumes an upload, also after a failure. If its file cannot be read any more, it waits until the file is chosen again. */
  async resume(id: string): Promise<void> {
    const entry = this.#list.find(id);
    if (entry === undefined) return;
    const handle = entry.handle;
    const file = this.#files.get(id) ?? (handle && (await fileOf(handle, true)));
    if (file === undefined || !isSameFile(entry, file)) {
      // The handle does not lead to the file any more.
      this.#list.change(id, { status: "stopped", handle: undefined });
      this.#list.save(id);
      return;
    }
    this.#queue(id, file);
    this.#begin();
  }

  /** Ends an upload, and has the service delete what it has received. */
  cancel(id: string): void {
    const key = this.#list.find(id)?.state?.key;
    this.#running.get(id)?.abort();
    this.#remove(id);
    // A session that is not ended here expires.
    if (key !== undefined) this.#drs.uploads.abort(key).catch(() => undefined);
  }

  /** Removes finished uploads from the list. */
  clear(): void {
    for (const { id, status } of this.entries()) if (status === "done") this.#remove(id);
  }

  #begin(): void {
    while (this.#running.size < filesAtOnce) {
      const next = this.entries().findLast(({ id, status }) => status === "waiting" && !this.#running.has(id));
      if (next === undefined) return;
      const file = this.#files.get(next.id);
      if (file === undefined) this.#list.change(next.id, { status: "stopped" });
      else void this.#run(next, file);
    }
  }

  async #run(entry: UploadEntry, file: File): Promise<void> {
    const { id } = entry;
    const list = this.#list;
    const stop = new AbortController();
    const { signal } = stop;
    this.#running.set(id, stop);
    list.change(id, { status: "sending", failure: undefined, isAway: false });
    try {
      const job = await send(this.#drs, entry, file, {
        signal,
        onProgress: ({ sentBytes, bytesPerSecond, remainingMs }) =>
          list.change(id, { sentBytes, bytesPerSecond, remainingMs }),
        onState(state) {
          list.change(id, { state });
          list.save(id);
        },
        onAway: (isAway) => list.change(id, { isAway, ...(isAway && { bytesPerSecond: 0, remainingMs: undefined }) }),
      });
      if (job === undefined) list.change(id, { status: "elsewhere" });
      else {
        this.#finish(id, job);
        this.#onDone();
      }
    } catch (cause) {
      if (!signal.aborted) {
        list.change(id, { status: "failed", failure: failureOf(cause) });
        list.save(id);
      }
    } finally {
      this.#running.delete(id);
      list.change(id, { bytesPerSecond: 0, remainingMs: undefined, isAway: false });
      this.#begin();
    }
  }

  #queue(id: string, file: File, handle?: FileSystemFileHandle): void {
    this.#files.set(id, file);
    this.#list.change(id, { status: "waiting", isPaused: false, failure: undefined, ...(handle && { handle }) });
    this.#list.save(id);
  }

  /** The document is stored; a job of the service reads it from now on. */
  #finish(id: string, { id: jobId, datasetId }: Pick<Job, "id" | "datasetId">): void {
    const sentBytes = this.#list.find(id)?.fileSize ?? 0;
    const job = { id: jobId, datasetId };
    this.#list.change(id, { status: "done", sentBytes, job, state: undefined, handle: undefined });
    this.#files.delete(id);
    this.#list.save(id);
  }

  #remove(id: string): void {
    this.#list.show(this.entries().filter((entry) => entry.id !== id));
    this.#forget(id);
  }

  #forget(id: string): void {
    this.#files.delete(id);
    this.#store.remove(id).catch(() => undefined);
  }

  /** Lists the uploads of earlier pages. */
  async #load(): Promise<void> {
    const all = (await this.#store.all(this.#owner)).toSorted((one, other) => other.addedAt - one.addedAt);
    const isOld = ({ job, addedAt }: StoredUpload): boolean => job !== undefined && addedAt < Date.now() - doneListedMs;
    for (const { id } of all.filter(isOld)) this.#forget(id);
    const left = all.filter((upload) => !isOld(upload));
    this.#list.show([...this.entries(), ...left.map((upload) => entryOf(upload, statusOfLeft(upload)))]);
    const unfinished = left.filter(({ job, failure }) => job === undefined && failure === undefined);
    await Promise.all(unfinished.map(async (upload) => this.#continue(upload)));
  }

  /** Continues an upload of an earlier page if it has finished since, or if its file can be read without asking the person. */
  async #continue(left: StoredUpload): Promise<void> {
    const { id, state, handle } = left;
    const session = state && (await this.#drs.uploads.get(state.key).catch(() => undefined));
    if (session?.jobId != null) {
      // If the job cannot be read, choosing the same file again finds it.
      const job = await this.#drs.jobs.get(session.jobId).catch(() => undefined);
      if (job !== undefined) this.#finish(id, job);
      return;
    }
    if (session !== undefined) this.#list.change(id, { sentBytes: session.receivedBytes });
    const file = handle && !left.isPaused ? await fileOf(handle, false) : undefined;
    if (file === undefined || !isSameFile(left, file)) return;
    this.#queue(id, file);
    this.#begin();
  }
}

/** Whether an upload can continue once its file is chosen again. */
const needsFile = ({ status }: UploadEntry, hasFile: boolean): boolean =>
  !hasFile && (status === "stopped" || status === "paused" || status === "failed");

/** The callbacks of an upload while it is sent. */
interface Listener {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: UploadProgress) => void;
  readonly onState: (state: UploadState) => void;
  readonly onAway: (isAway: boolean) => void;
}

/** Sends a file, or the parts that the service does not have yet. Resolves with undefined if another tab is sending it. */
async function send(drs: Drs, entry: UploadEntry, file: File, listener: Listener): Promise<Job | undefined> {
  const { id, wishes, state } = entry;
  const upload = async (): Promise<Job> =>
    drs.datasets.upload(file, {
      ...wishes,
      ...listener,
      idempotencyKey: id,
      singleRequestBytes: partBytes,
      partBytes,
      partsAtOnce,
      retryTimeoutMs,
      ...(state && { resume: state }),
    });
  const { locks }: { readonly locks?: LockManager } = navigator;
  // Pages loaded over HTTP from another machine have no locks.
  if (locks === undefined) return upload();
  return locks.request(`drs upload ${id}`, { ifAvailable: true }, async (lock) =>
    lock === null ? undefined : upload(),
  );
}
