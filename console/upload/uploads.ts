import type { Drs, Job } from "@drs/client";
import { randomId } from "../shell/browser.ts";
import {
  entryOf,
  failureOf,
  isSameFile,
  keptOf,
  type KeptUpload,
  type PickedFile,
  statusOfLeft,
  type UploadEntry,
  type UploadWishes,
} from "./entry.ts";
import { fileOf } from "./picked-files.ts";
import type { KeptUploads } from "./kept-uploads.ts";
import { send } from "./send.ts";

/** Files sent at a time; a browser has six connections to a server. */
const filesAtOnce = 2;
/** Milliseconds that a finished upload stays listed unless cleared: as long as the service lists its job. */
const doneListedMs = 86_400_000;

/** The uploads of this browser, begun here or by an earlier page. They go on while other views are shown. */
export interface Uploads {
  subscribe(listener: () => void): () => void;
  /** Newest first. The same array until something changes. */
  entries(): readonly UploadEntry[];
  /** A file that an interrupted upload waits for goes on with that. */
  add(files: readonly PickedFile[], wishes: UploadWishes): void;
  pause(id: string): void;
  /** Also after a failure. Where its file cannot be read any more, it waits for the file to be chosen again. */
  resume(id: string): Promise<void>;
  /** Ends it, and has the service delete what it got. */
  cancel(id: string): void;
  /** Takes what is done out of the list. */
  clear(): void;
}

interface UploadsOptions {
  readonly drs: Drs;
  readonly owner: string;
  readonly kept: KeptUploads;
  /** Called with each document that has arrived. */
  readonly onDone: () => void;
}

export function createUploads({ drs, owner, kept, onDone }: UploadsOptions): Uploads {
  let entries: readonly UploadEntry[] = [];
  const listeners = new Set<() => void>();
  const files = new Map<string, File>();
  const running = new Map<string, AbortController>();

  const show = (next: readonly UploadEntry[]): void => {
    entries = next;
    for (const listener of listeners) listener();
  };
  const find = (id: string): UploadEntry | undefined => entries.find((entry) => entry.id === id);
  const change = (id: string, changes: Partial<UploadEntry>): void =>
    show(entries.map((entry) => (entry.id === id ? { ...entry, ...changes } : entry)));
  const keep = (id: string): void => {
    const entry = find(id);
    // What cannot be kept is sent all the same.
    if (entry !== undefined) kept.put(keptOf(entry)).catch(() => undefined);
  };
  const forget = (id: string): void => {
    files.delete(id);
    kept.remove(id).catch(() => undefined);
  };

  const remove = (id: string): void => {
    show(entries.filter((entry) => entry.id !== id));
    forget(id);
  };
  /** The document is stored, and read by a job of the service from now on. */
  const arrive = (id: string, { id: jobId, datasetId }: Pick<Job, "id" | "datasetId">): void => {
    const sentBytes = find(id)?.fileSize ?? 0;
    change(id, { status: "done", sentBytes, job: { id: jobId, datasetId }, state: undefined, handle: undefined });
    files.delete(id);
    keep(id);
  };

  const begin = (): void => {
    while (running.size < filesAtOnce) {
      const next = entries.findLast(({ id, status }) => status === "waiting" && !running.has(id));
      if (next === undefined) return;
      const file = files.get(next.id);
      if (file === undefined) change(next.id, { status: "stopped" });
      else void run(next, file);
    }
  };
  const run = async (entry: UploadEntry, file: File): Promise<void> => {
    const { id } = entry;
    const stop = new AbortController();
    const { signal } = stop;
    running.set(id, stop);
    change(id, { status: "sending", failure: undefined, isAway: false });
    try {
      const job = await send(drs, entry, file, {
        signal,
        onProgress: ({ sentBytes, bytesPerSecond, remainingMs }) =>
          change(id, { sentBytes, bytesPerSecond, remainingMs }),
        onState(state) {
          change(id, { state });
          keep(id);
        },
        onAway: (isAway) => change(id, { isAway, ...(isAway && { bytesPerSecond: 0, remainingMs: undefined }) }),
      });
      if (job === undefined) change(id, { status: "elsewhere" });
      else {
        arrive(id, job);
        onDone();
      }
    } catch (cause) {
      if (!signal.aborted) {
        change(id, { status: "failed", failure: failureOf(cause) });
        keep(id);
      }
    } finally {
      running.delete(id);
      change(id, { bytesPerSecond: 0, remainingMs: undefined, isAway: false });
      begin();
    }
  };

  const give = (id: string, file: File, handle?: FileSystemFileHandle): void => {
    files.set(id, file);
    change(id, { status: "waiting", isPaused: false, failure: undefined, ...(handle && { handle }) });
    keep(id);
  };

  /** What was left over: finished meanwhile, readable without a question, or waiting for its file. */
  const takeUp = async (left: KeptUpload): Promise<void> => {
    const { id, state, handle } = left;
    const session = state && (await drs.uploads.get(state.key).catch(() => undefined));
    if (session?.jobId != null) {
      // Where the job cannot be read, the same file, given again, is answered with it.
      const job = await drs.jobs.get(session.jobId).catch(() => undefined);
      if (job !== undefined) arrive(id, job);
      return;
    }
    if (session !== undefined) change(id, { sentBytes: session.receivedBytes });
    const file = handle && !left.isPaused ? await fileOf(handle, false) : undefined;
    if (file === undefined || !isSameFile(left, file)) return;
    give(id, file);
    begin();
  };
  const load = async (): Promise<void> => {
    const all = (await kept.all(owner)).toSorted((one, other) => other.addedAt - one.addedAt);
    const isOld = ({ job, addedAt }: KeptUpload): boolean => job !== undefined && addedAt < Date.now() - doneListedMs;
    for (const { id } of all.filter(isOld)) forget(id);
    const left = all.filter((upload) => !isOld(upload));
    show([...entries, ...left.map((upload) => entryOf(upload, statusOfLeft(upload)))]);
    await Promise.all(left.filter(({ job, failure }) => job === undefined && failure === undefined).map(takeUp));
  };
  // Without its database the browser has nothing left over.
  load().catch(() => undefined);

  return {
    entries: () => entries,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    add(picked, wishes) {
      for (const { file, handle } of picked) {
        const waiting = entries.find((entry) => needsFile(entry, files.has(entry.id)) && isSameFile(entry, file));
        if (waiting !== undefined) {
          give(waiting.id, file, handle);
          continue;
        }
        const id = randomId();
        const { name: fileName, size: fileSize, lastModified } = file;
        const facts = { id, owner, fileName, fileSize, lastModified, addedAt: Date.now(), wishes, isPaused: false };
        files.set(id, file);
        show([entryOf({ ...facts, ...(handle && { handle }) }, "waiting"), ...entries]);
        keep(id);
      }
      begin();
    },
    pause(id) {
      change(id, { status: "paused", isPaused: true });
      keep(id);
      running.get(id)?.abort();
    },
    async resume(id) {
      const entry = find(id);
      if (entry === undefined) return;
      const handle = entry.handle;
      const file = files.get(id) ?? (handle && (await fileOf(handle, true)));
      if (file === undefined || !isSameFile(entry, file)) {
        // The handle leads to the file no more: it is to be chosen again.
        change(id, { status: "stopped", handle: undefined });
        keep(id);
        return;
      }
      give(id, file);
      begin();
    },
    cancel(id) {
      const key = find(id)?.state?.key;
      running.get(id)?.abort();
      remove(id);
      // A session that is not ended here ends by itself.
      if (key !== undefined) drs.uploads.abort(key).catch(() => undefined);
    },
    clear() {
      for (const { id, status } of entries) if (status === "done") remove(id);
    },
  };
}

/** Whether it can go on once its file is given again. */
const needsFile = ({ status }: UploadEntry, hasFile: boolean): boolean =>
  !hasFile && (status === "stopped" || status === "paused" || status === "failed");
