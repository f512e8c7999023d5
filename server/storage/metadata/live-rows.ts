import { existsSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { notFound } from "../../domain/errors.ts";
import type { DatasetId } from "../../domain/ids.ts";

/** The rows of an embedded database that other processes are writing. Opened read-only: its schema stays as it is. */
export interface LiveRows {
  /** Writes all rows, as they are at one moment, into a database of its own. */
  copyTo(path: string): Promise<void>;
  /** Whether the dataset is there now. */
  hasDataset(id: DatasetId): boolean;
  /** Whether a new version of its document serves now under the id that callers know. */
  hasNewVersion(id: DatasetId): boolean;
  /** Whether a part of an upload is in that blob now. */
  hasPart(blobKey: string): boolean;
  /** Whether features of pages are listed under that key now. */
  hasFeatures(key: string): boolean;
  close(): void;
}

/** More pages than a database can have: in one step no writer can make the copy begin anew. */
const allPages = 2 ** 31 - 1;

/** Throws `not_found` if there is no database at the path. */
export function openLiveRows(path: string): LiveRows {
  if (!existsSync(path)) throw notFound(`there is no ${path}; name the data folder of a server with --data-dir`);
  const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  const exists = (query: string, key: string): boolean => database.prepare(query).get(key) !== undefined;
  return {
    async copyTo(to) {
      await backup(database, to, { rate: allPages });
    },
    hasDataset: (id) => exists(`select 1 from "datasets" where "id" = ?`, id),
    hasNewVersion: (id) => exists(`select 1 from "datasets" where "versionOf" = ? and "type" <> 'pending'`, id),
    hasPart: (blobKey) => exists(`select 1 from "uploadParts" where "blobKey" = ?`, blobKey),
    hasFeatures: (key) => exists(`select 1 from "features" where "key" = ?`, key),
    close: () => database.close(),
  };
}
