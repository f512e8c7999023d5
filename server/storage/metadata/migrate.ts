import type { Kysely } from "kysely";
import { Migrator, type Migration } from "kysely/migration";
import { conflict } from "../../domain/errors.ts";
import type { Engine } from "./engine.ts";
import { first } from "./migrations/0001-first.ts";
import { uploads } from "./migrations/0002-uploads.ts";
import { turns } from "./migrations/0003-turns.ts";
import { organisations } from "./migrations/0004-organisations.ts";
import { idempotency } from "./migrations/0005-idempotency.ts";
import { retention } from "./migrations/0006-retention.ts";
import { usage } from "./migrations/0007-usage.ts";
import { models } from "./migrations/0008-models.ts";
import { claims } from "./migrations/0009-claims.ts";
import { boundedWork } from "./migrations/0010-bounded-work.ts";
import { signingKeys } from "./migrations/0011-signing-keys.ts";
import { duties } from "./migrations/0012-duties.ts";
import { holdings } from "./migrations/0013-holdings.ts";
import type { Schema } from "./schema.ts";

/** Every migration by its name, which is recorded in the database: they run in the order of their numbers. */
const migrations: Readonly<Record<string, (db: Kysely<unknown>, engine: Engine) => Promise<void>>> = {
  "0001-first": first,
  "0002-uploads": uploads,
  "0003-turns": turns,
  "0004-organisations": organisations,
  "0005-idempotency": idempotency,
  "0006-retention": retention,
  "0007-usage": usage,
  "0008-models": models,
  "0009-claims": claims,
  "0010-bounded-work": boundedWork,
  "0011-signing-keys": signingKeys,
  "0012-duties": duties,
  "0013-holdings": holdings,
};

/** Clauses for messages: where the rows are, and what else may be chosen. */
export interface Place {
  readonly where: string;
  readonly another: string;
}

/**
 * Brings the tables up to date. Processes that start together wait for the one that does it. Throws `conflict`, and writes
 * nothing, if a newer version of drs has changed them.
 */
export async function migrate(db: Kysely<Schema>, engine: Engine, where: Place): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => provide(engine) } });
  await refuseNewer(db, where);
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw new Error("the metadata database cannot be brought up to date", { cause: error });
}

/** Where the migrator notes which migrations have run. */
type Applied = { readonly kysely_migration: { readonly name: string } };

async function refuseNewer(db: Kysely<Schema>, { where, another }: Place): Promise<void> {
  if ((await appliedTo(db)).every((name) => Object.hasOwn(migrations, name))) return;
  throw conflict(`${where} was written by a newer version of drs; use that version, or ${another}`);
}

/** What `migrate` would run, in order. Throws `conflict` as it does, and writes nothing. */
export async function pendingMigrations(db: Kysely<Schema>, where: Place): Promise<readonly string[]> {
  await refuseNewer(db, where);
  const applied = new Set(await appliedTo(db));
  return Object.keys(migrations).filter((name) => !applied.has(name));
}

async function appliedTo(db: Kysely<Schema>): Promise<readonly string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === "kysely_migration")) return [];
  const applied = await db.withTables<Applied>().selectFrom("kysely_migration").select("name").execute();
  return applied.map(({ name }) => name);
}

function provide(engine: Engine): Record<string, Migration> {
  const steps = Object.entries(migrations);
  return Object.fromEntries(steps.map(([name, up]) => [name, { up: (db) => up(db, engine) } satisfies Migration]));
}
