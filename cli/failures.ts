import type { DrsError } from "@drs/client";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { Interrupted } from "./command-io.ts";

/** A failure that the user can do something about. */
export class CliError extends Error {
  override readonly name = "CliError";
  /** The next step; empty if the message says it. */
  readonly next: string;
  readonly exitCode: ExitCode;

  constructor(
    message: string,
    { next = "", exitCode = exitCodes.failed }: { next?: string; exitCode?: ExitCode } = {},
  ) {
    super(message);
    this.next = next;
    this.exitCode = exitCode;
  }
}

export function usageError(message: string, next = ""): CliError {
  return new CliError(message, { next, exitCode: exitCodes.usage });
}

/** A failure in words: what happened, and what to do about it. */
export interface Failure {
  readonly message: string;
  readonly next: string;
  /** A code of the service, or of this program. */
  readonly code: string;
  readonly exitCode: ExitCode;
}

export function describeFailure(cause: unknown): Failure {
  if (cause instanceof Interrupted)
    return { message: "interrupted", next: "", code: "interrupted", exitCode: exitCodes.interrupted };
  if (cause instanceof CliError) {
    const code = cause.exitCode === exitCodes.usage ? "usage" : cause.exitCode === exitCodes.auth ? "auth" : "failed";
    return { message: cause.message, next: cause.next, code, exitCode: cause.exitCode };
  }
  if (isDrsError(cause)) return describeServiceFailure(cause);
  if (!(cause instanceof Error)) return bug(String(cause));
  if (cause.name === "SettingError")
    return {
      message: cause.message,
      next: "drs serve --help lists the settings of the server, drs --help the variables of commands",
      code: "usage",
      exitCode: exitCodes.usage,
    };
  // The server's messages are written for its caller. Its error classes are not imported, to avoid loading the server.
  if (cause.name === "DomainError" || cause.name === "PackError") return failed(cause.message, "");
  for (let inner: unknown = cause; inner instanceof Error; inner = inner.cause) {
    const failure = describeStoreFailure(inner) ?? describeSystemFailure(inner) ?? describeIndexFailure(inner);
    if (failure !== undefined) return failure;
  }
  return bug(cause.stack ?? cause.message);
}

/** Recognises the error by name, so that commands that never call the service need not load its client. */
export function isDrsError(cause: unknown): cause is DrsError {
  return cause instanceof Error && cause.name === "DrsError";
}

function describeServiceFailure(error: DrsError): Failure {
  const { code, message, status, requestId, next = "" } = error;
  const as = (advice: string, exitCode: ExitCode = exitCodes.failed): Failure => ({
    message,
    next: advice,
    code,
    exitCode,
  });
  if (code === "unauthenticated") {
    return as(
      "check the key (--api-key, DRS_API_KEY, the profile or credentials.json in the data folder); drs login keeps another one, drs keys create makes one",
      exitCodes.auth,
    );
  }
  if (code === "permission_denied") return as(next, exitCodes.auth);
  if (status === undefined && code === "unavailable") {
    return as(
      message.includes("certificate")
        ? "if the server's certificate is your own, name the file of its authority in NODE_EXTRA_CA_CERTS"
        : "start the server with: drs serve (or name another one with --server, DRS_SERVER or --profile); drs doctor checks this machine",
    );
  }
  if (code === "unavailable") return as("the server is starting or stopping: try again in a moment");
  if (code === "deadline_exceeded") return as("the server is busy: try again, or look at its log");
  if (next !== "") return as(next);
  if ((code === "internal" || code === "unknown") && requestId !== undefined) {
    return as(
      `the log has the details under request ${requestId}: what the server writes to stderr, or drs.log in the data folder where a command served itself`,
    );
  }
  // Other servers answer like this to a path that they do not know.
  return as(
    code === "unknown" || code === "unimplemented"
      ? "look whether that is the address of a drs server: drs doctor --server URL"
      : "",
  );
}

/** Meanings and next steps of failures of the operating system, by code. */
const systemAdvice: Readonly<Record<string, readonly [what: string, next: string]>> = {
  ENOENT: ["there is no such file or folder", "check the path"],
  EACCES: ["access is not permitted", "check the owner and the permissions"],
  EPERM: ["the operation is not permitted", "check the owner and the permissions"],
  EISDIR: ["that is a folder", "name a file"],
  ENOTDIR: ["a part of the path is not a folder", "check the path"],
  EEXIST: ["that exists already", "choose another name"],
  ENOSPC: ["the disk is full", "free some space"],
  EDQUOT: ["the disk quota is used up", "free some space"],
  EROFS: ["the file system is read-only", "choose another folder"],
  ENAMETOOLONG: ["the name is too long", "choose a shorter one"],
  ELOOP: ["the links lead round in a circle", "check the path"],
  EMFILE: ["this process may open no more files", "raise the limit with ulimit -n, or do less at once"],
  ENFILE: ["this machine has no more files to open", "end other programs"],
  EIO: ["the disk fails to read or write", "check the disk"],
  EADDRINUSE: ["another program listens there", "stop it, or choose another port with --port (0 takes any free one)"],
  EADDRNOTAVAIL: ["this machine has no such address", "choose another one with --host"],
};

/** Meanings and next steps of failures of SQLite, by result code: https://www.sqlite.org/rescode.html */
const databaseAdvice: Readonly<Record<number, readonly [what: string, next: string]>> = {
  5: [
    "the database is in use for longer than it should",
    "try again; drs doctor shows which process uses the data folder",
  ],
  8: ["the database may not be written", "check owner and permissions of the data folder and the files in it"],
  10: ["the disk fails to read or write the database", "check the disk"],
  11: ["the database is damaged", "restore the data folder from a copy, or choose another one with --data-dir"],
  13: ["the disk is full", "free some space"],
  14: ["the database cannot be opened", "check owner and permissions of the data folder and the files in it"],
  26: ["metadata.sqlite in the data folder is not a database", "restore it from a copy, or choose another --data-dir"],
};

/** Next steps if a remote store cannot be used, by its fault. */
const storeAdvice: Readonly<Record<string, string>> = {
  unreachable: "look whether it runs and is reached from here, and whether its address is right",
  refused: "check the address, the credentials and their rights",
};

/** Recognises the error by name, as above. Its message has the store's answer, but no addresses or passwords. */
function describeStoreFailure(cause: Error): Failure | undefined {
  if (cause.name !== "StoreError") return undefined;
  const fault: unknown = Reflect.get(cause, "fault");
  return failed(cause.message, (typeof fault === "string" ? storeAdvice[fault] : undefined) ?? "");
}

function describeDatabaseFailure(cause: Error): Failure | undefined {
  const result: unknown = Reflect.get(cause, "errcode");
  // The low byte is the primary result code; extended codes give more detail than anybody can act on.
  const advice = typeof result === "number" ? databaseAdvice[result & 0xff] : undefined;
  return advice && failed(`${advice[0]} (${cause.message})`, advice[1]);
}

function describeSystemFailure(cause: Error): Failure | undefined {
  const code: unknown = Reflect.get(cause, "code");
  if (cause instanceof TypeError && cause.message.endsWith("is not a file"))
    return failed(cause.message, "name a file");
  if (typeof code !== "string") return undefined;
  if (code === "ERR_SQLITE_ERROR") return describeDatabaseFailure(cause);
  if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") {
    return failed(cause.message, 'a part of drs is not installed: run "npm install" again, then drs doctor');
  }
  const advice = systemAdvice[code];
  if (advice === undefined) return undefined;
  const path: unknown = Reflect.get(cause, "path");
  const address: unknown = Reflect.get(cause, "address");
  const subject =
    typeof path === "string"
      ? path
      : typeof address === "string"
        ? `${address}:${String(Reflect.get(cause, "port"))}`
        : code;
  return failed(`${subject}: ${advice[0]}`, advice[1]);
}

/** The vector store reports errors of the operating system only in the words of its message. */
function describeIndexFailure({ message }: Error): Failure | undefined {
  if (message.includes("(os error 28)"))
    return failed("the index cannot be written: the disk is full", "free some space");
  if (message.includes("(os error 30)"))
    return failed("the index cannot be written: it is read-only", "check the disk");
  return undefined;
}

function failed(message: string, next: string): Failure {
  return { message, next, code: "failed", exitCode: exitCodes.failed };
}

function bug(details: string): Failure {
  return {
    message: details,
    next: "this looks like a bug in drs: please report it with the lines above",
    code: "bug",
    exitCode: exitCodes.failed,
  };
}
