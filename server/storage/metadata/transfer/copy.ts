import { createHash } from "node:crypto";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Schema } from "../schema.ts";
import { inTransaction } from "../transaction.ts";

/** Rows per transaction. With thirty columns, they have half as many values as SQLite can bind. */
const rowsPerBatch = 500;

type Row = Readonly<Record<string, unknown>>;
/** The key of the last copied row, by table. */
export type CopiedUpTo = Readonly<Record<string, readonly (string | number)[]>>;

interface CopyOptions {
  readonly from: Kysely<Schema>;
  readonly to: Kysely<Schema>;
  /** Where an interrupted copy stopped; empty to start at the beginning. */
  readonly upTo: CopiedUpTo;
  readonly signal: AbortSignal;
  /** Called after rows have been committed in the target. */
  readonly onCopied: (table: string, rows: number, upTo: CopiedUpTo) => Promise<void>;
}

/**
 * Copies all tables from one database to another, whatever their engines: table by table, in the order of their keys.
 * Rows that exist in the target are replaced, so a copy may resume at or before the point at which it was interrupted.
 */
export async function copyRows({ from, to, upTo, signal, onCopied }: CopyOptions): Promise<void> {
  let reached = { ...upTo };
  for (const table of copiedTables) {
    for await (const rows of batchesOf(from, table, reached[table.name])) {
      signal.throwIfAborted();
      await inTransaction(to, (trx) => put(trx, table, rows));
      reached = { ...reached, [table.name]: keyOf(table, rows.at(-1) ?? {}) };
      await onCopied(table.name, rows.length, reached);
    }
  }
  for (const table of countedTables) {
    signal.throwIfAborted();
    // All rows are written in one transaction, since they are few: the counts of the target's triggers must not be
    // added to those of the source.
    await inTransaction(to, async (trx) => {
      await sql`delete from ${sql.table(table.name)}`.execute(trx);
      for await (const rows of batchesOf(from, table, undefined)) {
        const some = rows.filter((row) => !isOfRenditions(row));
        if (some.length > 0) await put(trx, table, some);
      }
    });
    await onCopied(table.name, 0, reached);
  }
}

/** A digest of the rows of a table, independent of their order. */
export interface TableDigest {
  readonly table: string;
  readonly rows: number;
  /** Sum of the SHA-256 hashes of all rows, hexadecimal. */
  readonly digest: string;
}

/** Computes digests of all tables, to tell whether two databases have the same rows. Reads all rows. */
export async function* digestRows(db: Kysely<Schema>, signal: AbortSignal): AsyncGenerator<TableDigest> {
  for (const table of [...copiedTables, ...countedTables]) {
    let [count, sum] = [0, 0n];
    for await (const rows of batchesOf(db, table, undefined)) {
      signal.throwIfAborted();
      for (const row of rows) {
        if (isOfRenditions(row)) continue;
        count += 1;
        sum = (sum + digestOf(row)) % modulus;
      }
    }
    yield { table: table.name, rows: count, digest: sum.toString(16) };
  }
}

const modulus = 2n ** 256n;

/** Converts all values to text, because some engines return whole numbers as text. */
function digestOf(row: Row): bigint {
  const values = Object.keys(row)
    .toSorted()
    .map((name) => {
      const value = row[name];
      if (value === null || value === undefined) return null;
      if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") return String(value);
      if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
      throw new TypeError(`a column of ${typeof value}`);
    });
  return BigInt(`0x${createHash("sha256").update(JSON.stringify(values)).digest("hex")}`);
}

/** Whether the row counts the bytes of cached renditions. These are not copied, so their count is not copied either. */
const isOfRenditions = (row: Row): boolean => row["owner"] === "cache" && row["kind"] === "bytes";

async function* batchesOf(
  db: Kysely<Schema>,
  { name, key }: CopiedTable,
  after: readonly (string | number)[] | undefined,
): AsyncGenerator<readonly Row[]> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  let last = after;
  for (;;) {
    const rest: RawBuilder<unknown> = last === undefined ? sql`` : sql`where (${columns}) > (${sql.join(last)})`;
    const query = sql<Row>`select * from ${sql.table(name)} ${rest} order by ${columns} limit ${sql.lit(rowsPerBatch)}`;
    const { rows } = await query.execute(db);
    if (rows.length > 0) yield rows;
    if (rows.length < rowsPerBatch) return;
    last = keyOf({ key }, rows.at(-1) ?? {});
  }
}

function keyOf({ key }: Pick<CopiedTable, "key">, row: Row): readonly (string | number)[] {
  return key.map((column) => {
    const value = row[column];
    if (typeof value !== "string" && typeof value !== "number") throw new TypeError(`a key of ${typeof value}`);
    return value;
  });
}

async function put(trx: Kysely<Schema>, { name, key }: CopiedTable, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const others = columns.filter((column) => !key.includes(column));
  const list = (names: readonly string[]) => sql.join(names.map((column) => sql.ref(column)));
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  const update = others.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`);
  const otherwise = others.length === 0 ? sql`nothing` : sql`update set ${sql.join(update)}`;
  await sql`insert into ${sql.table(name)} (${list(columns)}) values ${sql.join(values)}
    on conflict (${list(key)}) do ${otherwise}`.execute(trx);
}

/** A table that is copied. */
interface CopiedTable {
  readonly name: keyof Schema;
  /** Its primary key. */
  readonly key: readonly string[];
}

/** How each table is copied, if at all. A table that refers to another one comes after it. */
const tables: { readonly [Name in keyof Schema]: { readonly key: readonly string[]; readonly how: CopyMode } } = {
  plans: { key: ["name"], how: "copied" },
  organisations: { key: ["id"], how: "copied" },
  members: { key: ["id"], how: "copied" },
  personalTokens: { key: ["id"], how: "copied" },
  invitations: { key: ["id"], how: "copied" },
  identities: { key: ["issuer", "subject"], how: "copied" },
  auditEvents: { key: ["id"], how: "copied" },
  workspaces: { key: ["id"], how: "copied" },
  apiKeys: { key: ["id"], how: "copied" },
  sessions: { key: ["id"], how: "copied" },
  signInCodes: { key: ["id"], how: "copied" },
  deviceCodes: { key: ["id"], how: "copied" },
  signingKeys: { key: ["id"], how: "copied" },
  packs: { key: ["id"], how: "copied" },
  datasets: { key: ["id"], how: "copied" },
  metadataValues: { key: ["datasetId", "field", "place"], how: "copied" },
  uploads: { key: ["key"], how: "copied" },
  uploadParts: { key: ["uploadKey", "partNumber"], how: "copied" },
  fetches: { key: ["datasetId"], how: "copied" },
  organisationTurns: { key: ["organisationId"], how: "copied" },
  jobs: { key: ["id"], how: "copied" },
  suspectPages: { key: ["jobId", "page"], how: "copied" },
  pages: { key: ["datasetId", "page"], how: "copied" },
  pageWords: { key: ["datasetId", "page"], how: "copied" },
  indices: { key: ["datasetId", "pack"], how: "copied" },
  indexPages: { key: ["datasetId", "pack", "page"], how: "copied" },
  features: { key: ["datasetId", "generation", "number"], how: "copied" },
  indexTables: { key: ["workspaceId", "pack"], how: "copied" },
  garbage: { key: ["kind", "key"], how: "copied" },
  attempts: { key: ["workspaceId", "method", "keySha256"], how: "copied" },
  webhooks: { key: ["id"], how: "copied" },
  callbackSecrets: { key: ["workspaceId"], how: "copied" },
  webhookDeliveries: { key: ["target", "messageId"], how: "copied" },
  requestCounts: { key: ["workspaceId", "month"], how: "copied" },
  dailyUsage: { key: ["workspaceId", "day"], how: "copied" },
  renditions: { key: ["key"], how: "left out" },
  duties: { key: ["name"], how: "left out" },
  turns: { key: ["workspaceId"], how: "counted" },
  rateBuckets: { key: ["id"], how: "left out" },
  pageCounts: { key: ["datasetId", "block"], how: "counted" },
  holdings: { key: ["workspaceId", "shard"], how: "counted" },
  tallies: { key: ["owner", "kind", "name", "shard"], how: "counted" },
};

/**
 * `counted`: triggers maintain the table, also in the target, where the rows of the source replace what the triggers
 * have counted. `left out`: the rows can be recomputed, or belong to the processes that use the source.
 */
type CopyMode = "copied" | "counted" | "left out";

const names = Object.keys(tables).filter((name): name is keyof Schema => name in tables);
const those = (how: CopyMode): readonly CopiedTable[] =>
  names.flatMap((name) => (tables[name].how === how ? [{ name, key: tables[name].key }] : []));

const copiedTables = those("copied");
const countedTables = those("counted");
