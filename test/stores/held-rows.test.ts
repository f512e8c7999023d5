import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Dataset } from "../../server/domain/datasets/dataset.ts";
import type { Job } from "../../server/domain/jobs/job.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { noLimits } from "../../server/domain/plans/plan.ts";
import type { Upload } from "../../server/domain/uploads/upload.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import { type PostgresServer, startPostgres, withoutPostgres } from "../servers/postgres.ts";
import { storeClock } from "./testing/metadata.ts";
import {
  claimNext,
  createDataset,
  createTenant,
  leaseMs,
  makeDataset,
  makeEvent,
  makeFounding,
  makeJob,
  morning,
  removeRows,
} from "./testing/records.ts";
import { makePart, makeUpload } from "./testing/usage-records.ts";

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

  it.each<[string, (of: Meant) => Promise<unknown>, unknown]>([
    [
      "delete",
      ({ dataset: { workspaceId, id } }) => store.datasets.delete(workspaceId, id, morning, makeEvent(), isMine),
      undefined,
    ],
    [
      "cancel",
      ({ job: { workspaceId, id } }) =>
        store.jobs.cancel(workspaceId, id, { statusText: "no", event: makeEvent() }, morning, isMine),
      undefined,
    ],
    ["retry", ({ job: { workspaceId, id } }) => store.jobs.retry(workspaceId, id, morning, null, isMine), undefined],
    ["vectorize", ({ dataset }) => store.jobs.createVectorize(makeJob(dataset, "datasets/vectorize"), isMine), "gone"],
    ["part", ({ session }) => store.uploads.putPart(session.key, makePart(1, 10), 100, morning, isMine), "closed"],
    ["abort", ({ session }) => store.uploads.abort(session.workspaceId, session.key, morning, isMine), false],
    [
      "version",
      ({ dataset }) => {
        const version = makeDataset(dataset.workspaceId, { versionOf: dataset.id });
        return store.datasets.createVersion(version, makeJob(version), { event: makeEvent(), isTarget: isMine });
      },
      "gone",
    ],
  ])("a dataset that leaves a view while a change of it waits is not changed: %s", async (_, change, refusal) => {
    const { workspaceId } = await createTenant(store);
    const { dataset, job } = await createDataset(store, workspaceId, { metadata: { customer: "mine" } });
    const session = { ...makeUpload(workspaceId), versionOf: dataset.id };
    await store.uploads.create(session);
    // As `update` does it.
    await holder.query(`select 1 from "datasets" where "id" = $1 for update`, [dataset.id]);
    await holder.query(`update "datasets" set "metadata" = '{"customer":"other"}' where "id" = $1`, [dataset.id]);
    const changing = change({ dataset, job, session });
    await untilWaiting(1);
    await holder.query("commit");
    expect(await changing).toEqual(refusal);
    expect(await store.datasets.get(workspaceId, dataset.id, morning)).toMatchObject({
      metadata: { customer: "other" },
    });
    expect(await store.jobs.standing([dataset.id])).toEqual([job]);
    expect(await store.uploads.get(workspaceId, session.key, morning)).toEqual(session);
    expect(await store.uploads.parts(session.key)).toEqual([]);
  });

  it("a dataset that is given more time while its expiry is carried out stays", async () => {
    const { workspaceId } = await createTenant(store);
    const { dataset } = await createDataset(store, workspaceId, { expiresAt: morning });
    await holder.query(`update "datasets" set "expiresAt" = null where "id" = $1`, [dataset.id]);
    const expiring = store.datasets.deleteExpired(morning, 10);
    await untilWaiting(1);
    await holder.query("commit");
    await expiring;
    expect(await store.datasets.get(workspaceId, dataset.id, morning)).toBeDefined();
  });
});

interface Meant {
  readonly dataset: Dataset;
  readonly job: Job;
  readonly session: Upload;
}

const isMine = ({ metadata }: Dataset): boolean => metadata["customer"] === "mine";
