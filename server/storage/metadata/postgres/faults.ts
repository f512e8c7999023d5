import { StoreError } from "../../../domain/storage-fault.ts";

/**
 * What the server says, or `pg` by itself, when there is no session to work in: it is shutting down, starting, full, or
 * cannot be reached (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const codes: ReadonlySet<string> = new Set([
  // The server ends the session, or does not take one yet, or no more of them.
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "53300",
  // A standby, which the address may name for a moment when servers change their parts.
  "25006",
  // Of the system, where nothing listens or nobody answers.
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
]);

/** Wrong credentials, no right to the database, no such database: its operator has to see to it. */
const refusals: ReadonlySet<string> = new Set(["28000", "28P01", "3D000", "42501"]);

/** disk_full */
const full = "53100";

/** `pg` has no codes for these. */
const sentences =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Client was closed)/;

/** The failure of a query or of a connection, named as what it means for those who wait for the answer. */
export function nameFault(cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  if (isAway(cause)) return new StoreError("unreachable", "the metadata database does not answer", { cause });
  if ("code" in cause && cause.code === full) {
    return new StoreError("store-full", `the metadata database has no room: ${cause.message}`, { cause });
  }
  if ("code" in cause && typeof cause.code === "string" && refusals.has(cause.code)) {
    return new StoreError("refused", `the metadata database refuses the server: ${cause.message}`, { cause });
  }
  return cause;
}

function isAway(error: Error): boolean {
  if (sentences.test(error.message)) return true;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // 08: connection exceptions.
  if (codes.has(code) || code.startsWith("08")) return true;
  return error instanceof AggregateError && error.errors.some((each) => each instanceof Error && isAway(each));
}
