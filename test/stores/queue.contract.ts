import { afterEach, describe, expect, it } from "vitest";
import { type OpenMetadataFixture, storeClock, useMetadata } from "./testing/metadata.ts";
import { cancelled, claimNext, createDataset, createTenant, leaseMs, morning } from "./testing/records.ts";

/** The contract of the queue as operators see it. */
export function queueContract(open: OpenMetadataFixture): void {
  describe("queue", () => {
    const db = useMetadata(open);
    const many = 1_000;
    afterEach(async () => {
      const left = await db.store.jobs.longestQueued({ limit: many, maxJobs: many });
      for (const { workspaceId, id } of left) await db.store.jobs.cancel(workspaceId, id, cancelled(), morning);
    });
    const extract = { type: "datasets/extract" } as const;

    it("counts unfinished jobs of all workspaces by what they are doing, and tells for how long", async () => {
      const { jobs } = db.store;
      storeClock.now = morning;
      expect(await jobs.queue(many)).toEqual({ groups: [], workers: 0 });
      for (let tenant = 0; tenant < 2; tenant++) {
        const { workspaceId } = await createTenant(db.store);
        for (let at = 0; at < 2; at++) await createDataset(db.store, workspaceId, { createdAt: morning + at * 1_000 });
      }
      // Seen by a worker, they are as old as before.
      await jobs.markSeen(morning + 5_000);
      const first = await claimNext(db.store, "one", morning + 6_000);
      const second = await claimNext(db.store, "two", morning + 6_000);
      await jobs.setProgress(first.lease, { stage: "read", pagesDone: 3, pagesTotal: 9 }, morning + 8_000);
      await jobs.postpone(second.lease, { statusText: "", afterMs: 60_000, isTry: true }, morning + 9_000);
      storeClock.now = morning + 10_000;
      const { groups, workers } = await jobs.queue(many);
      expect(workers).toBe(1);
      expect(groups).toHaveLength(3);
      expect(groups).toEqual(
        expect.arrayContaining([
          { ...extract, stage: "queue", state: "waiting", count: 2, ageMs: 9_000 },
          { ...extract, stage: "read", state: "working", count: 1, ageMs: 2_000 },
          { ...extract, stage: "queue", state: "paused", count: 1, ageMs: 1_000 },
        ]),
      );
      // The lease has run out: the next worker may claim it.
      storeClock.now = morning + 6_000 + leaseMs;
      const later = await jobs.queue(many);
      expect(later.workers).toBe(0);
      expect(later.groups.map(({ stage, state }) => `${stage} ${state}`).toSorted()).toEqual([
        "queue paused",
        "queue waiting",
        "read waiting",
      ]);
    });

    it("reads no more of a long queue than it is asked to", async () => {
      const { workspaceId } = await createTenant(db.store);
      for (let at = 0; at < 5; at++) await createDataset(db.store, workspaceId, { createdAt: morning + at });
      const { groups } = await db.store.jobs.queue(3);
      expect(groups).toMatchObject([{ count: 3 }]);
      expect(await db.store.jobs.longestQueued({ limit: 10, maxJobs: 3 })).toHaveLength(3);
    });

    it("lists the jobs that were created first, with who works on them, and none that has ended", async () => {
      const { workspaceId } = await createTenant(db.store);
      const stranger = await createTenant(db.store);
      const ended = (await createDataset(db.store, workspaceId, { createdAt: morning })).job;
      const oldest = (await createDataset(db.store, workspaceId, { createdAt: morning + 1_000 })).job;
      const newest = (await createDataset(db.store, stranger.workspaceId, { createdAt: morning + 2_000 })).job;
      await db.store.jobs.cancel(workspaceId, ended.id, cancelled(), morning + 3_000);
      const { job } = await claimNext(db.store, "the worker", morning + 4_000);
      expect(job.id).toBe(oldest.id);
      storeClock.now = morning + 5_000;
      const bounds = { limit: 10, maxJobs: many };
      expect(await db.store.jobs.longestQueued(bounds)).toEqual([
        {
          ...extract,
          id: oldest.id,
          workspaceId,
          stage: "queue",
          state: "working",
          pagesDone: 0,
          pagesTotal: 0,
          tries: 0,
          worker: "the worker",
          ageMs: 4_000,
          unchangedMs: 1_000,
        },
        expect.objectContaining({ id: newest.id, state: "waiting", worker: null, ageMs: 3_000, unchangedMs: 3_000 }),
      ]);
      expect(await db.store.jobs.longestQueued({ ...bounds, limit: 1 })).toMatchObject([{ id: oldest.id }]);
    });
  });
}
