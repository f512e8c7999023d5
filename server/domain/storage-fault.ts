import { DomainError, storageFull, unavailable } from "./errors.ts";

/** Why a store cannot write or open anything at all. A fault passes when an operator has dealt with it. */
export type StorageFault =
  /** The disk, or the quota on it, is full. */
  | "full"
  /** A remote store has no room, such as a bucket at its quota. */
  | "store-full"
  /** The process may not write to the file system or the folder. */
  | "read-only"
  /** The process, or the machine, can open no more files. */
  | "handles"
  /** A remote store does not answer, or is overloaded. */
  | "unreachable"
  /** A remote store refuses the server's credentials. */
  | "refused";

/** A fault that a store detects by itself; the message is for the log. */
export class StoreError extends Error {
  readonly fault: StorageFault;

  constructor(fault: StorageFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreError";
    this.fault = fault;
  }
}

/** The problem and its remedy: a sentence without a full stop, for users and operators alike. */
export const storageFaultSentences: Readonly<Record<StorageFault, string>> = {
  full: "the disk of the server's data folder is full; delete what is not needed, or have its operator make room",
  "store-full": "a store of the server is full; delete what is not needed, or have its operator make room there",
  "read-only": "the server's data folder cannot be written; its operator has to check the disk and the rights",
  handles:
    "the server has too many files open; try again in a moment, or have its operator raise the limit (ulimit -n)",
  unreachable: "a store of the server does not answer; try again in a moment",
  refused: "a store of the server refuses its credentials or its address; its operator has to check them",
};

/** When callers should try a store again that does not answer; seconds. */
const retryAfterSeconds = 5;

/** The status text of work that waits for the fault to pass. */
export const waitingSentences: Readonly<Record<StorageFault, string>> = {
  full: "waiting: the disk of the data folder is full; work continues when there is room",
  "store-full": "waiting: a store of the server is full; work continues when there is room",
  "read-only": "waiting: the data folder cannot be written; work continues when it can be",
  handles: "waiting: the server has too many files open; work continues when some are closed",
  unreachable: "waiting: a store of the server does not answer; work continues when it does",
  refused: "waiting: a store of the server refuses its credentials; work continues when they are right",
};

/** Longest chain of causes that is followed; a longer one is a cycle. */
const maxDepth = 10;

/** The storage fault behind an error or one of its causes; undefined if there is none. */
export function storageFaultOf(cause: unknown): StorageFault | undefined {
  let at = cause;
  for (let depth = 0; depth < maxDepth && at instanceof Error; depth++) {
    const fault = faultOf(at);
    if (fault !== undefined) return fault;
    at = at instanceof AggregateError && at.cause === undefined ? at.errors.find(storageFaultOf) : at.cause;
  }
  return undefined;
}

/** Whether somebody has to free space, on whichever store. */
export const isFull = (fault: StorageFault | undefined): boolean => fault === "full" || fault === "store-full";

/** The error for a request that met the fault. */
export function refusalOf(fault: StorageFault, cause: unknown): DomainError {
  const sentence = storageFaultSentences[fault];
  if (isFull(fault)) return storageFull(sentence, { cause });
  return unavailable(sentence, fault === "unreachable" ? { cause, retryAfterSeconds } : { cause });
}

function faultOf(error: Error): StorageFault | undefined {
  if (error instanceof StoreError) return error.fault;
  if (error instanceof DomainError) return error.kind === "storage_full" ? "full" : undefined;
  const code = "code" in error ? error.code : undefined;
  if (code === "ERR_SQLITE_ERROR") return ofSqlite("errcode" in error ? error.errcode : undefined);
  const named = typeof code === "string" ? ofSystem.get(code) : undefined;
  if (named !== undefined) return named;
  // LanceDB gives only a sentence, which ends as Rust writes system errors.
  const number = /\(os error (\d+)\)/.exec(error.message)?.[1];
  return number === undefined ? undefined : ofNumber.get(Number(number));
}

const ofSystem: ReadonlyMap<string, StorageFault> = new Map([
  ["ENOSPC", "full"],
  ["EDQUOT", "full"],
  ["EROFS", "read-only"],
  ["EMFILE", "handles"],
  ["ENFILE", "handles"],
]);

/** Errno values of Linux; those of macOS differ only in EDQUOT (69). */
const ofNumber: ReadonlyMap<number, StorageFault> = new Map([
  [28, "full"],
  [122, "full"],
  [69, "full"],
  [30, "read-only"],
  [24, "handles"],
  [23, "handles"],
]);

/** https://www.sqlite.org/rescode.html; the extended codes come first, because an I/O error may be anything. */
function ofSqlite(result: unknown): StorageFault | undefined {
  if (typeof result !== "number") return undefined;
  // SQLITE_IOERR_SHMSIZE: the index of the log cannot grow.
  if (result === 4874) return "full";
  const primary = result & 0xff;
  if (primary === 13) return "full";
  // SQLITE_READONLY, and SQLITE_CANTOPEN for a folder in which no log can be created.
  return primary === 8 || primary === 14 ? "read-only" : undefined;
}
