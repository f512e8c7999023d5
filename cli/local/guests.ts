import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isBusy, makePrivateFile } from "@drs/server/folder";

/**
 * Who uses the server of a data folder beside the command that serves it: a lock that many share, held by the operating
 * system like the folder's own, so that a killed guest is gone.
 */
export interface Guests {
  /** Makes this process a guest, if it is none; false: the command that serves is about to leave. */
  join(): boolean;
  leave(): void;
  /** Keeps others from becoming guests; false: some are there. */
  shut(): boolean;
  /** Leaves, and lets others in again. */
  close(): void;
}

export function openGuests(dataDir: string): Guests {
  const path = join(dataDir, "guests.lock");
  let lock: DatabaseSync | undefined;
  let state: "out" | "guest" | "shut" = "out";

  function enter(wanted: "guest" | "shut"): boolean {
    if (state === wanted) return true;
    leave();
    lock ??= openLock(path);
    try {
      if (wanted === "shut") lock.exec("begin exclusive");
      else {
        lock.exec("begin");
        // Only what has been read is locked; an empty database can be read.
        lock.exec("select count(*) from sqlite_schema");
      }
      state = wanted;
      return true;
    } catch (cause) {
      if (!isBusy(cause)) throw cause;
      if (lock.isTransaction) lock.exec("rollback");
      return false;
    }
  }

  function leave(): void {
    if (state !== "out") lock?.exec("rollback");
    state = "out";
  }

  return {
    join: () => enter("guest"),
    leave,
    shut: () => enter("shut"),
    close() {
      lock?.close();
      lock = undefined;
      state = "out";
    },
  };
}

function openLock(path: string): DatabaseSync {
  makePrivateFile(path);
  const lock = new DatabaseSync(path, { timeout: 0 });
  // A journal file would be left behind by a kill, although nothing is ever written.
  lock.exec("pragma journal_mode = memory");
  return lock;
}
