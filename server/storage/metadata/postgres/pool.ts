import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import pg from "pg";
import { keepsPlan } from "../engine.ts";
import { StoreError } from "../../../domain/storage-fault.ts";

/** Maximum time to wait for a connection, ms; after that, the database counts as unreachable. */
const connectMs = 10_000;
/** Maximum time of a statement, and of a wait for a lock, ms. All statements are short, so a longer one is a fault. */
const statementMs = 30_000;
const lockMs = 10_000;
/** Time after which the server ends an idle transaction, ms, so that a stopped process does not hold locks for long. */
const idleInTransactionMs = 20_000;

/**
 * All statements are short: compiling one, or starting parallel workers for it, takes longer than running it. Each
 * statement has an index, and must use it whatever the server's statistics of a growing table say.
 */
const plannerOptions = "-c jit=off -c max_parallel_workers_per_gather=0 -c enable_seqscan=off";

/** Settings of every connection. */
export const connectionSettings = {
  application_name: "drs",
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  types: { getTypeParser },
} as const;

/** Creates a pool of at most `max` connections to the database. */
export function createPool(connectionString: string, max: number): PostgresPool {
  const pool = new pg.Pool({
    ...connectionSettings,
    connectionString,
    max,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    options: plannerOptions,
  });
  // A lost connection is replaced; a query that was using it fails.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return {
    options: pool.options,
    connect: async () => namingFaults(await named(() => pool.connect())),
    end: () => pool.end(),
  };
}

function namingFaults(client: pg.PoolClient): PostgresPoolClient {
  function query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  function query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  function query(text: unknown, values: readonly unknown[] = []): unknown {
    if (typeof text !== "string") throw new TypeError("rows are not read through cursors");
    const given = values.map(toValue);
    const name = keepsPlan(text) ? nameOf(text) : undefined;
    return named(() => (name === undefined ? client.query(text, given) : client.query({ name, text, values: given })));
  }
  return { query, release: (isBroken) => client.release(isBroken) };
}

/**
 * Names, by text, of the statements with plans that connections reuse. Only a few places in the code have such
 * statements.
 */
const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? `drs${names.size}`;
  names.set(text, name);
  return name;
}

async function named<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw nameFault(cause);
  }
}

/** PostgreSQL text cannot contain U+0000, but the text of documents and clients may. */
const toValue = (value: unknown): unknown => (typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value);

/** The parsers of `pg` for any type; the declaration in `pg` accepts only members of an enum. */
const standard: { getTypeParser(oid: number, format?: "text" | "binary"): (text: string) => unknown } = pg.types;

const bytea = 17;
const int8 = 20;
const numeric = 1700;

/**
 * Converts values to those that SQLite returns: counts, sizes and times as numbers (their sums come as `numeric`),
 * bytes as plain arrays.
 */
function getTypeParser(oid: number, format?: "text" | "binary"): (text: string) => unknown {
  if (format !== "binary" && (oid === int8 || oid === numeric)) return toNumber;
  const parse = standard.getTypeParser(oid, format);
  return oid === bytea ? (text) => toBytes(parse(text)) : parse;
}

function toBytes(value: unknown): unknown {
  return Buffer.isBuffer(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : value;
}

function toNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) throw new RangeError(`not a safe integer: ${text}`);
  return value;
}

/**
 * Error codes of the server or of `pg` that mean that no session is usable: the server is shutting down, starting, out
 * of connections, or unreachable (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const codes: ReadonlySet<string> = new Set([
  // The server ended the session, does not accept sessions yet, or has too many.
  "57P01",
  "57P02",
  "57P03",
  "57P05",
  "53300",
  // The server is a standby, to which the address may lead for a moment during a failover.
  "25006",
  // Codes of the operating system: nothing listens, or nothing answers.
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
]);

/** Wrong credentials, no right to the database, or no such database: an operator has to fix this. */
const refusals: ReadonlySet<string> = new Set(["28000", "28P01", "3D000", "42501"]);

/** disk_full */
const full = "53100";

/** Messages of errors of `pg` without a code. */
const sentences =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Client was closed)/;

/** Maps the failure of a query or a connection to a `StoreError`; other failures are returned unchanged. */
function nameFault(cause: unknown): unknown {
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
