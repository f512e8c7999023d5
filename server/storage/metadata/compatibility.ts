import type { Kysely } from "kysely";
import { conflict } from "../../domain/errors.ts";
import type { Schema } from "./schema.ts";

/**
 * The oldest version that may go on beside the tables as they are, by the newest migration that it knows. A migration that
 * takes away or changes what processes of that version use names itself; one that only adds to it names an earlier one.
 * `newest` is the migration that has said so: tables that another one has changed since are not vouched for.
 */
type Readers = { readonly readers: { readonly id: number; readonly oldest: string; readonly newest: string } };

/** Where the migrator notes which migrations have run. */
type Applied = { readonly kysely_migration: { readonly name: string } };

/** Clauses for messages: where the rows are, and what else may be chosen. */
export interface Place {
  readonly where: string;
  readonly another: string;
}

/**
 * Whether a newer version of drs has changed the tables, in a way that this one can go on beside. Throws `conflict` if it
 * cannot, and for tables that were made before the first release; `known` are the migrations of this version, in their order.
 */
export async function isNewer(
  db: Kysely<Schema>,
  known: readonly string[],
  { where, another }: Place,
): Promise<boolean> {
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

/** The migrations that have run, of whatever version. */
export async function appliedTo(db: Kysely<Schema>): Promise<readonly string[]> {
  if (!(await hasTable(db, "kysely_migration"))) return [];
  const applied = await db.withTables<Applied>().selectFrom("kysely_migration").select("name").execute();
  return applied.map(({ name }) => name);
}

async function hasTable(db: Kysely<Schema>, table: string): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  return tables.some(({ name }) => name === table);
}

/** Notes, in the transaction of a migration, which versions may go on beside it. */
export async function noteReaders(
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
