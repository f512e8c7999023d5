import { existsSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { notFound } from "../../domain/errors.ts";
import type { DatasetId } from "../../domain/ids.ts";

/**
 * Reads the rows of an SQLite database to which other processes write. It is opened read-only, so its schema does not
 * change.
 */
export interface LiveRows {
  /** Copies all rows, as of one point in time, into another database file. */
  copyTo(path: string): Promise<void>;
  /** Whether the dataset exists now. */
  hasDataset(id: DatasetId): boolean;
  /** Whether a new version of its document is now served under the id that callers know. */
  hasNewVersion(id: DatasetId): boolean;
  /** Whether the blob now holds a part of an upload. */
  hasPart(blobKey: string): boolean;
  /** Whether features of pages are now listed under the key. */
  hasFeatures(key: string): boolean;
  close(): void;
}

/** Pages per step of the copy: more than any database has. In a single step, no writer can make the copy start over. */
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
