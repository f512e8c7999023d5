import { openDatabase, settled } from "../shell/browser.ts";
import { type StoredUpload, storedOf, type UploadEntry } from "./entry.ts";

/** Stores uploads in the browser's database, without their bytes. */
export interface UploadStore {
  /** Returns the uploads of an owner. */
  all(owner: string): Promise<readonly StoredUpload[]>;
  put(upload: StoredUpload): Promise<void>;
  remove(id: string): Promise<void>;
}

const storeName = "uploads";

/** Opens the store. If the browser stores nothing for this page, its uploads are lost when the page is closed. */
export function openUploadStore(server: string): UploadStore {
  const database = openDatabase(`drs ${server}`, storeName).catch(() => undefined);
  const run = async <Result>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest<Result>,
    otherwise: Result,
  ): Promise<Result> => {
    const opened = await database;
    return opened === undefined ? otherwise : settled(work(opened.transaction(storeName, mode).objectStore(storeName)));
  };
  return {
    async all(owner) {
      const uploads = await run<StoredUpload[]>("readonly", (store) => store.getAll(), []);
      return uploads.filter((upload) => upload.owner === owner);
    },
    async put(upload) {
      await run<IDBValidKey>("readwrite", (store) => store.put(upload), upload.id);
    },
    async remove(id) {
      await run<undefined>("readwrite", (store) => store.delete(id), undefined);
    },
  };
}

/** The uploads as shown. Views subscribe to changes. */
export class UploadEntries {
  readonly #store: UploadStore;
  readonly #listeners = new Set<() => void>();
  #entries: readonly UploadEntry[] = [];

  constructor(store: UploadStore) {
    this.#store = store;
  }

  /** Newest first. The same array until something changes. */
  readonly all = (): readonly UploadEntry[] => this.#entries;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  find(id: string): UploadEntry | undefined {
    return this.#entries.find((entry) => entry.id === id);
  }

  show(entries: readonly UploadEntry[]): void {
    this.#entries = entries;
    for (const listener of this.#listeners) listener();
  }

  change(id: string, changes: Partial<UploadEntry>): void {
    this.show(this.#entries.map((entry) => (entry.id === id ? { ...entry, ...changes } : entry)));
  }

  /** Stores an upload for later pages. An upload that cannot be stored is still sent. */
  save(id: string): void {
    const entry = this.find(id);
    if (entry !== undefined) this.#store.put(storedOf(entry)).catch(() => undefined);
  }
}
