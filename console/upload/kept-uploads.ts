import { openDatabase, settled } from "../shell/browser.ts";
import type { KeptUpload } from "./entry.ts";

/** Stores uploads in the browser's database, without their bytes. */
export interface KeptUploads {
  all(owner: string): Promise<readonly KeptUpload[]>;
  put(upload: KeptUpload): Promise<void>;
  remove(id: string): Promise<void>;
}

const storeName = "uploads";

/** If the browser stores nothing for this page, its uploads end with the page. */
export function openKeptUploads(server: string): KeptUploads {
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
      const uploads = await run<KeptUpload[]>("readonly", (store) => store.getAll(), []);
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
