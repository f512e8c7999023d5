import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import { type PostgresServer, postgresPrograms, startPostgres, withoutPostgres } from "../servers/postgres.ts";
import { claimNext, createDataset, createTenant, morning } from "./testing/records.ts";

/** A connection has kept a plan by then (https://www.postgresql.org/docs/current/sql-prepare.html). */
const executions = 8;

describe.skipIf(postgresPrograms() === undefined)(`plans that connections keep${withoutPostgres}`, () => {
  let server: PostgresServer;
  let url: string;
  let store: Metadata;

  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
    store = await openMetadata({ url, dataDir: "", connections: 1 });
  });
  afterAll(async () => {
    await store.close();
    await server.close();
  });

  /** How many jobs were claimed and ended. */
  async function claimAndFinish(times: number): Promise<number> {
    const { workspaceId } = await createTenant(store);
    let ended = 0;
    for (let count = 0; count < times; count++) {
      await createDataset(store, workspaceId);
      const { lease } = await claimNext(store, "w");
      if (await store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, morning)) ended++;
    }
    return ended;
  }

  it("go on beside a newer version, which adds columns to the tables", async () => {
    expect(await claimAndFinish(executions)).toBe(executions);
    const newer = new pg.Client({ connectionString: url });
    await newer.connect();
    for (const table of ["jobs", "turns", "organisationTurns", "workspaces", "organisations", "plans"]) {
      await newer.query(`alter table "${table}" add column "ofNewer" bigint not null default 0`);
    }
    await newer.end();
    expect(await claimAndFinish(executions)).toBe(executions);
  });
});
