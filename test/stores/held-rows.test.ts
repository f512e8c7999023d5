import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { noLimits } from "../../server/domain/plans/plan.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import { type PostgresServer, startPostgres, withoutPostgres } from "../servers/postgres.ts";
import { storeClock } from "./testing/metadata.ts";
import {
  claimNext,
  createDataset,
  createTenant,
  leaseMs,
  makeEvent,
  makeFounding,
  makeJob,
  morning,
  removeRows,
} from "./testing/records.ts";

/** Transactions that are stopped half-way by a row that another one holds, as those of a stopped process are. */
describe.skipIf(withoutPostgres !== "")(`calls that wait on PostgreSQL${withoutPostgres}`, () => {
  let server: PostgresServer;
  let url: string;
  let store: Metadata;
  let holder: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
    store = await openMetadata({ url, dataDir: "", clock: () => storeClock.now });
  });
  afterAll(async () => {
    await store.close();
    await server.close();
  });
  beforeEach(async () => {
    holder = new pg.Client({ connectionString: url });
    await holder.connect();
    await holder.query("begin");
  });
  afterEach(() => holder.end());

  /** Until so many sessions of the database wait for locks. */
  async function untilWaiting(count: number): Promise<void> {
    const waiting = `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    const observer = new pg.Client({ connectionString: url });
    await observer.connect();
    try {
      for (let look = 0; look < 1000; look++) {
        const { rows } = await observer.query<{ count: number }>(waiting);
        if ((rows[0]?.count ?? 0) >= count) return;
        await sleep(5);
      }
      throw new Error(`fewer than ${count} sessions wait`);
    } finally {
      await observer.end();
    }
  }

  it("a dataset goes after the rendition that is being entered, and takes it along", async () => {
    const { workspaceId } = await createTenant(store);
    const { dataset } = await createDataset(store, workspaceId);
    await store.renditions.put("first", dataset.id, 10, morning);
    await holder.query(`select 1 from "tallies" where "owner" = 'cache' for update`);
    const putting = store.renditions.put("second", dataset.id, 10, morning);
    await untilWaiting(1);
    const deleting = store.datasets.delete(workspaceId, dataset.id, morning, makeEvent());
    await untilWaiting(2);
    await holder.query("commit");
    expect(await putting).toBe(true);
    expect(await deleting).toBeDefined();
    await removeRows(store);
    expect(await store.renditions.oldest(10)).toEqual([]);
  });

  it("a job runs again after the claim on another job of its dataset", async () => {
    const plan = "five";
    await store.plans.set({ name: plan, limits: { ...noLimits, concurrentJobs: 5 } }, makeEvent());
    const founding = makeFounding({ plan });
    await store.organisations.create(founding, []);
    const workspaceId = founding.workspace.id;
    const { dataset, job } = await createDataset(store, workspaceId);
    const { lease } = await claimNext(store, "w", morning);
    await store.jobs.finish(lease, { status: "ERROR", statusText: "no" }, morning);
    const vectorize = makeJob(dataset, "datasets/vectorize", { createdAt: morning + 1 });
    await store.jobs.createVectorize(vectorize);
    // A claim under a plan counts what the organisation has at work, which it keeps others from doing.
    await holder.query(`select 1 from "organisations" where "id" = $1 for update`, [founding.organisation.id]);
    const claiming = store.jobs.claim("w", leaseMs, morning);
    await untilWaiting(1);
    const retrying = store.jobs.retry(workspaceId, job.id, morning).then(() => store.jobs.claim("v", leaseMs, morning));
    await untilWaiting(2);
    await holder.query("commit");
    expect((await claiming)?.job.id).toBe(vectorize.id);
    expect(await retrying).toBeUndefined();
  });
});
