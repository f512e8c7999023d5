import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import pg from "pg";
import { keepsPlan } from "../engine.ts";
import { StoreError } from "../../../domain/storage-fault.ts";

/** How long a connection is waited for, ms; then the database counts as being away. */
const connectMs = 10_000;
/** Longest time of one statement, and of one wait for a lock, ms: all are short, more means trouble. */
const statementMs = 30_000;
const lockMs = 10_000;
/** The transaction of a process that has been stopped is ended by the server, so that its locks keep nobody waiting, ms. */
const idleInTransactionMs = 20_000;

/**
 * All statements are short: compiling one, or starting helpers for it, takes longer than it does. There is an index for each,
 * which is not to depend on what the server has counted so far of a table that grows.
 */
const plannerOptions = "-c jit=off -c max_parallel_workers_per_gather=0 -c enable_seqscan=off";

/** What every connection asks for. */
export const connectionSettings = {
  application_name: "drs",
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  types: { getTypeParser },
} as const;

/** Connections to the database, at most so many at a time. */
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
  // A connection that is lost is replaced; whoever is using it gets the error of the query.
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

/** Names of the statements whose plans connections keep: they are as many as such places in the code. */
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

/** Text cannot hold U+0000 there; what documents and clients bring may. */
const toValue = (value: unknown): unknown => (typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value);

/** The parsers that `pg` brings, for any type; its own declaration asks for a member of an enum. */
const standard: { getTypeParser(oid: number, format?: "text" | "binary"): (text: string) => unknown } = pg.types;

const bytea = 17;
const int8 = 20;
const numeric = 1700;

/** Values are as SQLite gives them: counts, sizes and times numbers (sums of them come as `numeric`), bytes plain arrays. */
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
