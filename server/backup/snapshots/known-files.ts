import { DatabaseSync } from "node:sqlite";
import { makePrivateFile } from "../../storage/private-folder.ts";

/** A file as it was when it was copied: if none of this has changed, neither have its bytes. */
export interface FileIdentity {
  readonly path: string;
  readonly size: number;
  /** Nanoseconds since the epoch, as text. */
  readonly modifiedAt: string;
}

/**
 * Records the files that have been copied, so that they need not be read again; stored beside the pool, also for an
 * interrupted backup. It may be removed at any time: then the next backup reads all files.
 */
export interface KnownFiles {
  sha256Of(file: FileIdentity): string | undefined;
  note(file: FileIdentity, sha256: string): void;
  /** Records an object that a snapshot needs, in a temporary table of this connection. */
  need(sha256: string): void;
  isNeeded(sha256: string): boolean;
  /** Forgets the files whose objects are not needed. */
  forgetUnneeded(): void;
  close(): void;
}

export function openKnownFiles(path: string): KnownFiles {
  makePrivateFile(path);
  const database = new DatabaseSync(path, { timeout: 10_000 });
  database.exec("pragma journal_mode = wal; pragma synchronous = normal");
  database.exec(`create table if not exists "files"
    ("path" text primary key, "size" integer not null, "modifiedAt" text not null, "sha256" text not null) without rowid`);
  database.exec(`create temp table "needed" ("sha256" text primary key) without rowid`);
  const find = database.prepare(`select "sha256" from "files" where "path" = ? and "size" = ? and "modifiedAt" = ?`);
  const enter = database.prepare(`insert or replace into "files" values (?, ?, ?, ?)`);
  const enterNeeded = database.prepare(`insert or ignore into "needed" values (?)`);
  const findNeeded = database.prepare(`select 1 from "needed" where "sha256" = ?`);
  return {
    sha256Of({ path, size, modifiedAt }) {
      const found = find.get(path, size, modifiedAt)?.["sha256"];
      return typeof found === "string" ? found : undefined;
    },
    note: ({ path, size, modifiedAt }, sha256) => void enter.run(path, size, modifiedAt, sha256),
    need: (sha256) => void enterNeeded.run(sha256),
    isNeeded: (sha256) => findNeeded.get(sha256) !== undefined,
    forgetUnneeded: () => database.exec(`delete from "files" where "sha256" not in (select "sha256" from "needed")`),
    close: () => database.close(),
  };
}
