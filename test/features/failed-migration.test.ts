import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type PostgresServer, startPostgres, withoutPostgres } from "../servers/postgres.ts";
import { startCommand } from "../service/command.ts";

/** Takes the newest migrations back, and leaves something of its name in the way of the second statement of the first. */
const inTheWay = [
  `delete from "kysely_migration" where "name" >= '0015-turns'`,
  `update "readers" set "oldest" = '0013-holdings', "newest" = '0013-holdings'`,
  `drop table "turns"`,
  `drop table "organisationTurns"`,
  `drop table "features"`,
  `drop table "indexTables"`,
  `drop index "garbageByWorkspace"`,
  `alter table "garbage" drop column "workspaceId"`,
  `alter table "garbage" drop column "pack"`,
  `alter table "jobs" drop column "traceparent"`,
  `drop table "metadataValues"`,
  `alter table "datasets" drop column "metadata"`,
  `alter table "uploads" drop column "metadata"`,
  `alter table "jobs" drop column "callbackUrl"`,
  `alter table "jobs" drop column "callbackOrigin"`,
  `alter table "uploads" drop column "callbackUrl"`,
  `drop table "webhookDeliveries"`,
  `drop table "callbackSecrets"`,
  `drop table "webhooks"`,
  `drop table "sessions"`,
  `drop table "signInCodes"`,
  `drop table "identities"`,
  `drop table "deviceCodes"`,
  `drop index "invitationsByEmail"`,
  `alter table "invitations" drop column "email"`,
  `alter table "personalTokens" drop column "name"`,
  `drop index "personalTokensBySession"`,
  `alter table "personalTokens" drop column "sessionId"`,
  `alter table "apiKeys" drop column "filter"`,
  `drop index "pendingVersions"`,
  `drop index "datasetsByVersion"`,
  `alter table "datasets" drop column "versionOf"`,
  `alter table "jobs" drop column "versionOf"`,
  `alter table "uploads" drop column "versionOf"`,
  `alter table "datasets" drop column "title"`,
  `alter table "datasets" drop column "author"`,
  `drop table "dailyUsage"`,
  `drop index "auditEventsByActor"`,
  `drop index "datasetsByFormat"`,
  `drop index "datasetsBySearchable"`,
  `alter table "datasets" drop column "isSearchable"`,
  `alter table "datasets" drop column "warnings"`,
  `delete from "tallies" where "kind" in ('formats', 'searchable')`,
  ...["firstCreatedAt", "lastCreatedAt", "firstEmbeddedAt", "lastEmbeddedAt"].map(
    (column) => `alter table "pageCounts" drop column "${column}"`,
  ),
  `create index "turnsInOrder" on "jobs" ("id")`,
];
const triggers = [
  "queueTurn",
  "queueTurnAgain",
  "forgetMetadata",
  "tellOfJob",
  ...["Formats", "Searchable"].flatMap((kind) => ["New", "Removed", "Changed"].map((of) => `tally${of}${kind}`)),
  "seeNewPages",
  "seeChangedPages",
  "seeNewIndex",
  "seeChangedIndex",
  "seeRemovedIndex",
];
/** The migrations that are applied again. */
const newest = [
  "0015-turns",
  "0016-traces",
  "0017-metadata",
  "0018-bound-keys",
  "0019-webhooks",
  "0020-sessions",
  "0021-versions",
  "0022-sign-in",
  "0024-properties",
  "0025-history",
  "0026-formats",
  "0027-searchable",
  "0029-page-times",
  "0030-warnings",
  "0031-device-networks",
  "0032-session-parents",
  "0033-page-secrets",
  "0034-organisation-turns",
  "0035-features",
  "0036-index-tables",
  "",
].join("\n");
const sentence =
  /^error: .*could not be brought up to date: migration 0015-turns failed \(.*turnsInOrder.*\)\. Nothing in it was changed; go on with the version of drs that used it before, and report this message\n$/;

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-failed-migration-"));
});
afterEach(() => rm(dataDir, { recursive: true }));

describe("a migration that fails says which one, why, and what to do", { timeout: 180_000 }, () => {
  test("on SQLite", async () => {
    const migrate = () => startCommand(["migrate", "--data-dir", dataDir], {}).outcome;
    expect(await migrate()).toMatchObject({ code: 0 });
    const path = join(dataDir, "metadata.sqlite");
    const query = (text: string): unknown[] => {
      const database = new DatabaseSync(path);
      try {
        return database.prepare(text).all();
      } finally {
        database.close();
      }
    };
    // SQLite drops no column that a trigger names; the migration wants these to be there.
    const emptied = ["countNewPage", "countChangedPage"].flatMap((name) => [
      `drop trigger "${name}"`,
      `create trigger "${name}" after insert on "pages" begin select 1; end`,
    ]);
    const dropTriggers = triggers.map((name) => `drop trigger "${name}"`);
    for (const statement of [...dropTriggers, ...emptied, ...inTheWay]) query(statement);
    const all = "select name, sql from sqlite_master union all select name, timestamp from kysely_migration order by 1";
    const before = query(all);
    for (const words of [["migrate"], ["serve", "--port", "0"], ["worker"]]) {
      const { code, stdout, stderr } = await startCommand([...words, "--data-dir", dataDir], {}).outcome;
      expect({ words, code, stdout }).toEqual({ words, code: 1, stdout: "" });
      expect(stderr).toMatch(sentence);
      expect(stderr).toContain(dataDir);
    }
    expect(query(all)).toEqual(before);
    query(`drop index "turnsInOrder"`);
    expect(await migrate()).toMatchObject({ code: 0, stdout: newest });
  });

  test.skipIf(withoutPostgres !== "")(`on PostgreSQL${withoutPostgres}`, async () => {
    const server: PostgresServer = await startPostgres();
    const url = await server.createDatabase();
    const client = new pg.Client({ connectionString: url });
    try {
      const migrate = () => startCommand(["migrate", "--data-dir", dataDir], { DRS_DATABASE_URL: url }).outcome;
      expect(await migrate()).toMatchObject({ code: 0 });
      await client.connect();
      const dropTriggers = triggers.map((name) => `drop function "${name}"() cascade`);
      for (const statement of [...dropTriggers, ...inTheWay]) await client.query(statement);
      const all = `select relname::text as name, relkind::text as what from pg_class where relnamespace = 'public'::regnamespace
        union all select name, timestamp from kysely_migration order by 1`;
      const before = (await client.query(all)).rows;
      const { code, stderr } = await migrate();
      expect(code).toBe(1);
      expect(stderr).toMatch(sentence);
      expect((await client.query(all)).rows).toEqual(before);
      await client.query(`drop index "turnsInOrder"`);
      expect(await migrate()).toMatchObject({ code: 0, stdout: newest });

      // A role that may read the tables and not change them.
      for (const statement of [...dropTriggers, ...inTheWay.slice(0, -1)]) await client.query(statement);
      await client.query(`create role reader login; grant select on all tables in schema public to reader`);
      const asReader = new URL(url);
      asReader.username = "reader";
      const refused = await startCommand(["migrate", "--data-dir", dataDir], { DRS_DATABASE_URL: asReader.href })
        .outcome;
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/permission denied.*give the database role/),
      });
    } finally {
      await client.end();
      await server.close();
    }
  });
});
