import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newDatasetId, newJobId, type WorkspaceId } from "../../server/domain/ids.ts";
import { openMetadata } from "../../server/storage/metadata/open.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { type PostgresServer, startPostgres, withoutPostgres } from "../servers/postgres.ts";
import { storeClock } from "./testing/metadata.ts";
import { claimNext, createTenant, makeDataset, makeEvent, makeJob, makePage, morning } from "./testing/records.ts";

/** Ids that end alike are counted in the same line. */
function endingWith<Id extends string>(letter: string, create: () => Id): Id {
  for (;;) {
    const id = create();
    if (id.endsWith(letter)) return id;
  }
}

describe.skipIf(withoutPostgres !== "")(`a workspace at work on PostgreSQL${withoutPostgres}`, () => {
  let server: PostgresServer;
  let url: string;
  let store: Metadata;
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
    store = await openMetadata({ url, dataDir: "", clock: () => storeClock.now });
  });
  afterAll(async () => {
    await store.close();
    await server.close();
  });

  async function create(workspaceId: WorkspaceId, letter: string): Promise<void> {
    const dataset = makeDataset(workspaceId, { id: endingWith(letter, newDatasetId) });
    const job = makeJob(dataset, "datasets/extract", { id: endingWith(letter, newJobId) });
    expect(await store.datasets.create(dataset, job)).toBe(true);
  }

  /** From the upload to its removal: what a workspace writes. */
  async function workThrough(workspaceId: WorkspaceId, letter: string): Promise<void> {
    await create(workspaceId, letter);
    await store.jobs.markSeen(morning);
    const { lease, job } = await claimNext(store, "w", morning);
    const { datasetId } = job;
    expect(await store.jobs.renew(lease, 1000)).toBe(true);
    expect(await store.datasets.setItemCount(lease, datasetId, 3, morning)).toBe(true);
    expect(await store.pages.save(lease, datasetId, [makePage(1)], morning)).toBe(true);
    const progress = { stage: "render", pagesDone: 1, pagesTotal: 3 } as const;
    expect(await store.jobs.setProgress(lease, progress, morning)).toBe(true);
    expect(await store.indices.begin(lease, { id: datasetId, workspaceId }, true, morning)).toBeDefined();
    expect(await store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, morning)).toBe(true);
    expect(await store.datasets.delete(workspaceId, datasetId, morning, makeEvent())).toBeDefined();
  }

  it("waits for no transaction that is open in the same workspace", async () => {
    const { organisationId, workspaceId } = await createTenant(store);
    await store.packs.use({ id: "one@1.0.0", model: "one", manifest: "{}" }, morning);
    // Lines that all of them would share, if there were any, are there.
    await workThrough(workspaceId, "a");

    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query("begin");
      const { id, ...dataset } = makeDataset(workspaceId, { id: endingWith("b", newDatasetId) });
      const columns = Object.entries({ id, ...dataset });
      const names = columns.map(([name]) => `"${name}"`).join(", ");
      const places = columns.map((_, index) => `$${index + 1}`).join(", ");
      const values = columns.map(([, value]) => value);
      await client.query(`insert into "datasets" (${names}) values (${places})`, values);
      // What a claim notes of the workspace whose turn it was, and of its organisation.
      for (const [table, of, owner] of [
        ["turns", "workspaceId", workspaceId],
        ["organisationTurns", "organisationId", organisationId],
      ] as const) {
        const { rowCount } = await client.query(`update "${table}" set "servedAt" = $1 where "${of}" = $2`, [
          morning,
          owner,
        ]);
        expect({ table, rowCount }).toEqual({ table, rowCount: 1 });
      }
      for (const letter of ["c", "d", "e"]) await workThrough(workspaceId, letter);
      const { rows } = await client.query<{ open: boolean }>(
        "select count(*) = 1 as open from datasets where id = $1",
        [id],
      );
      expect(rows).toEqual([{ open: true }]);
      await client.query("commit");
    } finally {
      await client.end();
    }
    expect((await store.usage.ofWorkspace(workspaceId)).documents).toBe(1);
    expect(await store.usage.ofWorkspace(workspaceId)).toEqual(await store.usage.recount(workspaceId));
  });
});
