import { Kysely, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgres } from "../../server/storage/metadata/postgres/engine.ts";
import type { Schema } from "../../server/storage/metadata/schema.ts";
import { type PostgresServer, startPostgres, withoutPostgres } from "../servers/postgres.ts";

describe.skipIf(withoutPostgres !== "")(`time limits of statements on PostgreSQL${withoutPostgres}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test("a migration has none, also where another process waits for it; what follows on the connection has", async () => {
    const engine = openPostgres(await server.createDatabase(), { connections: 1 });
    const db = new Kysely<Schema>({ dialect: engine.dialect });
    const limit = async (connection: Kysely<Schema>): Promise<unknown> =>
      (await sql<object>`show statement_timeout`.execute(connection)).rows;
    try {
      expect(await limit(db)).toEqual([{ statement_timeout: "30s" }]);
      expect(await engine.unhurried(db, limit)).toEqual([{ statement_timeout: "0" }]);
      const failure = engine.unhurried(db, (connection) => sql`select * from nothing`.execute(connection));
      await expect(failure).rejects.toThrow(/nothing/);
      expect(await limit(db)).toEqual([{ statement_timeout: "30s" }]);
    } finally {
      await engine.close();
      await db.destroy();
    }
  });
});
