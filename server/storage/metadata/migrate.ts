import type { Kysely } from "kysely";
import { type Migration, type MigrationResult, Migrator } from "kysely/migration";
import { appliedTo, isNewer, noteReaders, type Place } from "./compatibility.ts";
import type { Engine } from "./engine.ts";
import { failedMigration } from "./failed-migration.ts";
import { initial } from "./migrations/0001-initial.ts";
import type { Schema } from "./schema.ts";
import { againIfUndone } from "./transaction.ts";

export interface Step {
  readonly up: (db: Kysely<unknown>, engine: Engine) => Promise<void>;
  /**
   * The newest migration that a version must know to go on beside this one while the other is rolled out. It names itself if
   * it removes, renames or newly requires what the version before reads or writes; see docs/decisions/0022.
   */
  readonly oldestReader: string;
}

/** Every migration by its name, which is recorded in the database: they run in the order of their numbers. */
export const migrations: Readonly<Record<string, Step>> = {
  "0001-initial": { up: initial, oldestReader: "0001-initial" },
};

/**
 * Brings the tables up to date. Processes that start together wait for the one that does it. A version that a newer one says
 * it can be run beside leaves them as they are. Throws `conflict`, and writes nothing, if a newer version has changed them in
 * another way, `unavailable` if a migration fails: they are one transaction, which is undone.
 */
export async function migrate(db: Kysely<Schema>, engine: Engine, place: Place): Promise<void> {
  if (await isNewer(db, Object.keys(migrations), place)) return;
  const provider = { getMigrations: async () => provide(engine) };
  let results: readonly MigrationResult[] = [];
  try {
    // Processes of the version before may be at work, and lock tables in another order.
    await againIfUndone(async () => {
      const answer = await engine.unhurried(db, (connection) =>
        new Migrator({ db: connection, provider }).migrateToLatest(),
      );
      results = answer.results ?? [];
      if (answer.error !== undefined) throw answer.error;
    });
  } catch (error) {
    // A newer version may have been faster.
    if (await isNewer(db, Object.keys(migrations), place)) return;
    throw failedMigration(error, results.find(({ status }) => status === "Error")?.migrationName, place);
  }
}

/** Returns the migrations that `migrate` would run, in order. Throws `conflict` as it does, and writes nothing. */
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
