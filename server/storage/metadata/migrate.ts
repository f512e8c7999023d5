import type { Kysely } from "kysely";
import { type Migration, type MigrationResult, Migrator } from "kysely/migration";
import type { Engine } from "./engine.ts";
import { initial } from "./migrations/0001-initial.ts";
import type { Schema } from "./schema.ts";
import { againIfUndone } from "./transaction.ts";
import { conflict, DomainError } from "../../domain/errors.ts";
import { type StorageFault, storageFaultOf } from "../../domain/storage-fault.ts";

export interface Step {
  readonly up: (db: Kysely<unknown>, engine: Engine) => Promise<void>;
  /**
   * The newest migration that an older version must know to keep running after this one, during a rolling upgrade. A
   * migration names itself if it removes, renames or newly requires something that the previous version reads or
   * writes; see docs/decisions/0022.
   */
  readonly oldestReader: string;
}

/** All migrations by name, in the order in which they run. The database records the names of those that have run. */
export const migrations: Readonly<Record<string, Step>> = {
  "0001-initial": { up: initial, oldestReader: "0001-initial" },
};

/**
 * Brings the tables up to date. Processes that start at the same time wait for the one that does this. Tables that a
 * newer version has changed stay as they are if that version allows this one to run beside it. Throws `conflict`, and
 * writes nothing, if it does not. Throws `unavailable` if a migration fails; all migrations are one transaction, which
 * is undone.
 */
export async function migrate(db: Kysely<Schema>, engine: Engine, place: Place): Promise<void> {
  if (await isNewer(db, Object.keys(migrations), place)) return;
  const provider = { getMigrations: async () => provide(engine) };
  let results: readonly MigrationResult[] = [];
  try {
    // Processes of the previous version may be running and may lock tables in another order, which can end in a
    // deadlock.
    await againIfUndone(async () => {
      const answer = await engine.unhurried(db, (connection) =>
        new Migrator({ db: connection, provider }).migrateToLatest(),
      );
      results = answer.results ?? [];
      if (answer.error !== undefined) throw answer.error;
    });
  } catch (error) {
    // A newer version may have migrated the tables first.
    if (await isNewer(db, Object.keys(migrations), place)) return;
    throw failedMigration(error, results.find(({ status }) => status === "Error")?.migrationName, place);
  }
}

/** Returns the migrations that `migrate` would run, in order. Throws `conflict` like `migrate`, and writes nothing. */
export async function pendingMigrations(db: Kysely<Schema>, place: Place): Promise<readonly string[]> {
  const known = Object.keys(migrations);
  if (await isNewer(db, known, place)) return [];
  const applied = new Set(await appliedTo(db));
  return known.filter((name) => !applied.has(name));
}

function provide(engine: Engine): Record<string, Migration> {
  const steps = Object.entries(migrations);
  const run = async (db: Kysely<unknown>, name: string, { up, oldestReader }: Step): Promise<void> => {
    await up(db, engine);
    await noteReaders(db, { newest: name, oldest: oldestReader });
  };
  return Object.fromEntries(
    steps.map(([name, step]) => [name, { up: (db) => run(db, name, step) } satisfies Migration]),
  );
}

/**
 * The oldest version that may run on the current tables (`oldest`), identified by the newest migration that it knows. A
 * migration that removes or changes something that processes of that version use names itself; one that only adds
 * something names an earlier one. `newest` is the migration that recorded this: it says nothing about tables that a
 * later migration has changed.
 */
type Readers = { readonly readers: { readonly id: number; readonly oldest: string; readonly newest: string } };

/** The table in which the migrator records which migrations have run. */
type Applied = { readonly kysely_migration: { readonly name: string } };

/** Phrases for messages: where the rows are, and what the operator can choose instead. */
export interface Place {
  readonly where: string;
  readonly another: string;
}

/**
 * Whether a newer version of drs has changed the tables in a way that lets this one keep running. Throws `conflict` if
 * this version cannot run, and for tables that were made before the first release. `known` are the migrations of this
 * version, in order.
 */
async function isNewer(db: Kysely<Schema>, known: readonly string[], { where, another }: Place): Promise<boolean> {
  const applied = await appliedTo(db);
  if (applied.every((name) => known.includes(name))) return false;
  const [initial] = known;
  if (initial !== undefined && !applied.includes(initial)) {
    throw conflict(
      `${where} was made by a version of drs from before the first release, whose tables this one cannot read; ` +
        `export its workspaces with that version (drs export), and import them into ${another}`,
    );
  }
  const hasReaders = await hasTable(db, "readers");
  const [row] = hasReaders ? await db.withTables<Readers>().selectFrom("readers").selectAll().execute() : [];
  const isComplete = known.every((name) => applied.includes(name));
  const isVouchedFor = applied.every((name) => name <= (row?.newest ?? ""));
  if (row !== undefined && isVouchedFor && isComplete && known.includes(row.oldest)) return true;
  throw conflict(
    `${where} was written by a newer version of drs, beside which this one cannot run; ` +
      `use that version, or ${another}`,
  );
}

/** Returns the migrations that have run, including those of other versions. */
async function appliedTo(db: Kysely<Schema>): Promise<readonly string[]> {
  if (!(await hasTable(db, "kysely_migration"))) return [];
  const applied = await db.withTables<Applied>().selectFrom("kysely_migration").select("name").execute();
  return applied.map(({ name }) => name);
}

async function hasTable(db: Kysely<Schema>, table: string): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return tables.some(({ name }) => name === table);
}

/** Records, in the transaction of a migration, which versions may keep running after it. */
async function noteReaders(
  db: Kysely<unknown>,
  { newest, oldest }: { readonly newest: string; readonly oldest: string },
): Promise<void> {
  const readers = db.withTables<Readers>();
  await readers
    .insertInto("readers")
    .values({ id: 1, oldest, newest })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ oldest, newest }))
    .execute();
}

/** Next steps for the operator, by the fault of the store. */
const steps: Readonly<Record<StorageFault, string>> = {
  full: "make room on the disk and start again",
  "store-full": "make room for the database and start again",
  "read-only": "check the disk and the rights, and start again",
  handles: "raise the limit of open files (ulimit -n) and start again",
  unreachable: "look whether the database runs, and start again",
  refused: "give the database role the right to change the tables, and start again",
};

/**
 * PostgreSQL's codes for conflicts with other connections
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html): a lock or a statement that took too long, a
 * deadlock.
 */
const hindered: ReadonlySet<unknown> = new Set(["55P03", "57014", "40P01"]);

/**
 * Returns the error for tables that could not be brought up to date. All migrations of a start are one transaction, so
 * none of them has changed anything. `migration` is the one that failed; undefined if the failure came before or after
 * all of them.
 */
function failedMigration(cause: unknown, migration: string | undefined, { where }: Place): DomainError {
  const which = migration === undefined ? "" : `: migration ${migration} failed`;
  const said = cause instanceof Error ? cause.message : String(cause);
  return new DomainError(
    "unavailable",
    `${where} could not be brought up to date${which} (${said}). Nothing in it was changed; ${stepAfter(cause)}`,
    { cause },
  );
}

function stepAfter(cause: unknown): string {
  const fault = storageFaultOf(cause);
  if (fault !== undefined) return steps[fault];
  if (cause instanceof Error && "code" in cause && hindered.has(cause.code)) {
    return "end what holds its tables, such as a dump or a process of another version, and start again";
  }
  return "use the version of drs that used it before, and report this message";
}
