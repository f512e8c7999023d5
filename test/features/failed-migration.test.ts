import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type PostgresServer, startPostgres, withoutPostgres } from "../servers/postgres.ts";
import { startCommand } from "../service/command.ts";
import { nextMigration, nextVersion } from "../service/next-version/next-version.ts";

/** Has the name of what the last statement of the migration makes. */
const inTheWay = `create index "datasetsByLabel" on "jobs" ("id")`;
const outOfTheWay = `drop index "datasetsByLabel"`;
const sentence =
  /^error: .*could not be brought up to date: migration 0002-labels failed \(.*datasetsByLabel.*\)\. Nothing in it was changed; use the version of drs that used it before, and report this message\n$/;
const next = nextVersion(nextMigration);

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "drs-failed-migration-"));
});
afterEach(() => rm(dataDir, { recursive: true }));

describe("a migration that fails says which one, why, and what to do", { timeout: 180_000 }, () => {
  test("on SQLite", async () => {
    const run = (words: readonly string[], env = next) => startCommand([...words, "--data-dir", dataDir], env).outcome;
    expect(await run(["migrate"], {})).toMatchObject({ code: 0 });
    const path = join(dataDir, "metadata.sqlite");
    const query = (text: string): unknown[] => {
      const database = new DatabaseSync(path);
      try {
        return database.prepare(text).all();
      } finally {
        database.close();
      }
    };
    query(inTheWay);
    const all = "select name, sql from sqlite_master union all select name, timestamp from kysely_migration order by 1";
    const before = query(all);
    for (const words of [["migrate"], ["serve", "--port", "0"], ["worker"]]) {
      const { code, stdout, stderr } = await run(words);
      expect({ words, code, stdout }).toEqual({ words, code: 1, stdout: "" });
      expect(stderr).toMatch(sentence);
      expect(stderr).toContain(dataDir);
    }
    expect(query(all)).toEqual(before);
    expect(await run(["migrate", "--check"], {})).toMatchObject({ code: 0 });
    query(outOfTheWay);
    expect(await run(["migrate"])).toMatchObject({ code: 0, stdout: `${nextMigration}\n` });
  });

  test.skipIf(withoutPostgres !== "")(`on PostgreSQL${withoutPostgres}`, async () => {
    const server: PostgresServer = await startPostgres();
    const url = await server.createDatabase();
    const client = new pg.Client({ connectionString: url });
    try {
      const migrate = (env: Record<string, string> = {}) =>
        startCommand(["migrate", "--data-dir", dataDir], { DRS_DATABASE_URL: url, ...env }).outcome;
      expect(await migrate()).toMatchObject({ code: 0 });
      await client.connect();
      // A role that may read the tables and not change them.
      await client.query(`create role reader login; grant select on all tables in schema public to reader`);
      const asReader = new URL(url);
      asReader.username = "reader";
      expect(await migrate({ ...next, DRS_DATABASE_URL: asReader.href })).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/permission denied.*give the database role/),
      });

      await client.query(inTheWay);
      const all = `select relname::text as name, relkind::text as what from pg_class where relnamespace = 'public'::regnamespace
        union all select name, timestamp from kysely_migration order by 1`;
      const before = (await client.query(all)).rows;
      const { code, stderr } = await migrate(next);
      expect(code).toBe(1);
      expect(stderr).toMatch(sentence);
      expect((await client.query(all)).rows).toEqual(before);
      await client.query(outOfTheWay);
      expect(await migrate(next)).toMatchObject({ code: 0, stdout: `${nextMigration}\n` });
    } finally {
      await client.end();
      await server.close();
    }
  });
});
