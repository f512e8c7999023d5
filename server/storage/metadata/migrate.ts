import type { Kysely } from "kysely";
import { type Migration, type MigrationResult, Migrator } from "kysely/migration";
import { appliedTo, isNewer, noteReaders, type Place } from "./compatibility.ts";
import type { Engine } from "./engine.ts";
import { failedMigration } from "./failed-migration.ts";
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
import { turnsOfWorkspaces } from "./migrations/0015-turns.ts";
import { traces } from "./migrations/0016-traces.ts";
import { metadata } from "./migrations/0017-metadata.ts";
import { boundKeys } from "./migrations/0018-bound-keys.ts";
import { webhooks } from "./migrations/0019-webhooks.ts";
import { sessions } from "./migrations/0020-sessions.ts";
import { versions } from "./migrations/0021-versions.ts";
import { signIn } from "./migrations/0022-sign-in.ts";
import { properties } from "./migrations/0024-properties.ts";
import { history } from "./migrations/0025-history.ts";
import { formats } from "./migrations/0026-formats.ts";
import { searchable } from "./migrations/0027-searchable.ts";
import { pageTimes } from "./migrations/0029-page-times.ts";
import { warnings } from "./migrations/0030-warnings.ts";
import { deviceNetworks } from "./migrations/0031-device-networks.ts";
import { sessionParents } from "./migrations/0032-session-parents.ts";
import { pageSecrets } from "./migrations/0033-page-secrets.ts";
import { organisationTurns } from "./migrations/0034-organisation-turns.ts";
import { features } from "./migrations/0035-features.ts";
import { indexTables } from "./migrations/0036-index-tables.ts";
import type { Schema } from "./schema.ts";
import { againIfUndone } from "./transaction.ts";

interface Step {
  readonly up: (db: Kysely<unknown>, engine: Engine) => Promise<void>;
  /**
   * The newest migration that a version must know to go on beside this one while the other is rolled out. It names itself if
   * it removes, renames or newly requires what the version before reads or writes; see docs/decisions/0022.
   */
  readonly oldestReader: string;
}

/** Of the versions before the first that looks for it. */
const before = (up: Step["up"]): Step => ({ up, oldestReader: firstNoted });
const firstNoted = "0012-duties";

/** Every migration by its name, which is recorded in the database: they run in the order of their numbers. */
const migrations: Readonly<Record<string, Step>> = {
  "0001-first": before(first),
  "0002-uploads": before(uploads),
  "0003-turns": before(turns),
  "0004-organisations": before(organisations),
  "0005-idempotency": before(idempotency),
  "0006-retention": before(retention),
  "0007-usage": before(usage),
  "0008-models": before(models),
  "0009-claims": before(claims),
  "0010-bounded-work": before(boundedWork),
  "0011-signing-keys": before(signingKeys),
  [firstNoted]: before(duties),
  "0013-holdings": { up: holdings, oldestReader: "0013-holdings" },
  "0015-turns": { up: turnsOfWorkspaces, oldestReader: "0015-turns" },
  "0016-traces": { up: traces, oldestReader: "0015-turns" },
  "0017-metadata": { up: metadata, oldestReader: "0015-turns" },
  "0018-bound-keys": { up: boundKeys, oldestReader: "0015-turns" },
  "0019-webhooks": { up: webhooks, oldestReader: "0015-turns" },
  "0020-sessions": { up: sessions, oldestReader: "0015-turns" },
  "0021-versions": { up: versions, oldestReader: "0015-turns" },
  "0022-sign-in": { up: signIn, oldestReader: "0015-turns" },
  "0024-properties": { up: properties, oldestReader: "0015-turns" },
  "0025-history": { up: history, oldestReader: "0015-turns" },
  "0026-formats": { up: formats, oldestReader: "0015-turns" },
  "0027-searchable": { up: searchable, oldestReader: "0015-turns" },
  "0029-page-times": { up: pageTimes, oldestReader: "0015-turns" },
  "0030-warnings": { up: warnings, oldestReader: "0015-turns" },
  "0031-device-networks": { up: deviceNetworks, oldestReader: "0015-turns" },
  "0032-session-parents": { up: sessionParents, oldestReader: "0015-turns" },
  "0033-page-secrets": { up: pageSecrets, oldestReader: "0015-turns" },
  "0034-organisation-turns": { up: organisationTurns, oldestReader: "0015-turns" },
  "0035-features": { up: features, oldestReader: "0015-turns" },
  "0036-index-tables": { up: indexTables, oldestReader: "0015-turns" },
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

/** What `migrate` would run, in order. Throws `conflict` as it does, and writes nothing. */
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
    if (name >= firstNoted) await noteReaders(db, { newest: name, oldest: oldestReader });
  };
  return Object.fromEntries(
    steps.map(([name, step]) => [name, { up: (db) => run(db, name, step) } satisfies Migration]),
  );
}
