import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isBusy, makePrivateFile } from "@drs/server/folder";

/**
 * The other commands that use the server of a command on a data folder. It is a shared lock that the operating system
 * holds, like the folder's own lock, so it disappears if a guest is killed.
 */
export interface Guests {
  /** Makes this process a guest, if it is not one yet; false if the serving command is about to leave. */
  join(): boolean;
  leave(): void;
  /** Keeps others from becoming guests; false if there are some. */
  shut(): boolean;
  /** Leaves, and admits others again. */
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
        // SQLite locks only after a read; an empty database can be read.
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
  // A kill would leave a journal file behind, although nothing is ever written.
  lock.exec("pragma journal_mode = memory");
  return lock;
}
