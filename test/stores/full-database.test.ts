import { Kysely, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { refusalOf, storageFaultOf } from "../../server/domain/storage-fault.ts";
import { openPostgres } from "../../server/storage/metadata/postgres/engine.ts";
import type { Schema } from "../../server/storage/metadata/schema.ts";
import { type PostgresServer, startPostgres, withoutPostgres } from "../servers/postgres.ts";

describe.skipIf(withoutPostgres !== "")(`a PostgreSQL server without room${withoutPostgres}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test("is a full store, not a fault of drs and not the disk of the data folder", async () => {
    const engine = openPostgres(await server.createDatabase(), { connections: 1 });
    const db = new Kysely<Schema>({ dialect: engine.dialect });
    try {
      // What the server raises when it cannot extend a file.
      const failure = await sql`do $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`
        .execute(db)
        .catch((cause: unknown) => cause);
      const fault = storageFaultOf(failure);
      expect(fault).toBe("store-full");
      expect(refusalOf("store-full", failure)).toMatchObject({
        kind: "storage_full",
        message: expect.not.stringContaining("data folder"),
      });
    } finally {
      await engine.close();
      await db.destroy();
    }
  });
});
