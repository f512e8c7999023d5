import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { type JobId, newWorkspaceId } from "../../server/domain/ids.ts";
import { useMetadata, type OpenMetadataFixture } from "./testing/metadata.ts";
import {
  claimAt,
  claimNext,
  createDataset,
  createTenant,
  leaseMs,
  makeEvent,
  makeJob,
  makePage,
  morning,
} from "./testing/records.ts";

/** The queue: order, leases, and the effects of a process's death. */
export function claimsContract(open: OpenMetadataFixture): void {
  describe("claims on jobs", () => {
    const now = morning + 1000;
    const db = useMetadata(open);

    it("hands out the oldest first, each once, and those of one dataset one after the other", async () => {
      const { workspaceId } = await createTenant(db.store);
      const { jobs } = db.store;
      const young = await createDataset(db.store, workspaceId, { createdAt: morning + 2 });
      const old = await createDataset(db.store, workspaceId, { createdAt: morning });
      const vectorize = makeJob(old.dataset, "datasets/vectorize", { createdAt: morning + 1 });
      expect(await jobs.createVectorize(vectorize)).toBe("created");
      const first = await claimNext(db.store, "a", now);
      expect(first.job.id).toBe(old.job.id);
      const second = await claimNext(db.store, "b", now);
      expect(second.job.id).toBe(young.job.id);
      expect(await claimAt(db.store, "c", now)).toBeUndefined();
      await jobs.finish(first.lease, { status: "SUCCESS", statusText: "" }, now);
      const third = await claimNext(db.store, "a", now);
      expect(third.job.id).toBe(vectorize.id);
      await jobs.finish(third.lease, { status: "SUCCESS", statusText: "" }, now);
      await jobs.finish(second.lease, { status: "ERROR", statusText: "no" }, now);
      expect(await claimAt(db.store, "c", now)).toBeUndefined();
    });

    it("hands out no more jobs of an organisation at a time than its plan allows", async () => {
      const { organisationId, workspaceId } = await createTenant(db.store);
      const second = newWorkspaceId();
      const { jobs, workspaces, organisations, plans } = db.store;
      await workspaces.create({ id: second, organisationId, name: "second", createdAt: morning }, makeEvent());
      const none = { maxUploadBytes: null, maxStorageBytes: null, maxRetentionDays: null };
      const limits = { ...none, requestsPerMinute: null, concurrentJobs: 2, maxPages: null };
      await plans.set({ name: "two at a time", limits }, makeEvent());
      await organisations.update(organisationId, { name: undefined, plan: "two at a time" }, [makeEvent()]);
      for (const id of [workspaceId, second, workspaceId, second]) await createDataset(db.store, id);
      const first = await claimNext(db.store, "w", now);
      const other = await claimNext(db.store, "w", now + 1);
      expect(new Set([first, other].map(({ job }) => job.workspaceId)).size).toBe(2);
      expect(await claimAt(db.store, "w", now + 2)).toBeUndefined();
      await jobs.finish(first.lease, { status: "SUCCESS", statusText: "" }, now + 3);
      const third = await claimNext(db.store, "w", now + 4);
      expect(await claimAt(db.store, "w", now + 5)).toBeUndefined();
      for (const { lease } of [other, third]) await jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now + 6);
      const last = await claimNext(db.store, "w", now + 7);
      await jobs.finish(last.lease, { status: "SUCCESS", statusText: "" }, now + 8);
    });

    it("gives a job to another worker when its lease runs out, and the first one loses it", async () => {
      const { workspaceId } = await createTenant(db.store);
      const { job } = await createDataset(db.store, workspaceId);
      const { jobs } = db.store;
      const first = await claimNext(db.store, "a", now);
      const until = now + 30_000;
      expect(await claimAt(db.store, "b", until - 1)).toBeUndefined();
      expect(await jobs.renew(first.lease, 11)).toBe(true);
      expect(await claimAt(db.store, "b", until)).toBeUndefined();
      const second = await claimAt(db.store, "b", until + 10);
      expect(second?.job).toMatchObject({ id: job.id, startedAt: now, status: "IN_PROGRESS" });
      expect(await jobs.renew(first.lease, leaseMs)).toBe(false);
      expect(await jobs.finish(first.lease, { status: "SUCCESS", statusText: "" }, until)).toBe(false);
      await jobs.release(first.lease);
      expect(await claimAt(db.store, "c", until + 20)).toBeUndefined();
      if (second === undefined) throw new Error("not claimed");
      expect(await jobs.finish(second.lease, { status: "SUCCESS", statusText: "" }, until)).toBe(true);
    });

    it("suspects every page that was in flight when a lease ran out, and none of a job given back", async () => {
      const { workspaceId } = await createTenant(db.store);
      await createDataset(db.store, workspaceId);
      const { jobs } = db.store;
      let { lease, suspects } = await claimNext(db.store, "a", now);
      expect(suspects).toEqual([]);
      await jobs.setInFlight(lease, [7, 8]);
      ({ lease, suspects } = await claimNext(db.store, "b", now + 30_000));
      expect(suspects).toEqual([7, 8]);
      await jobs.setInFlight(lease, [0, 7]);
      await jobs.expireLeases("another owner");
      expect(await claimAt(db.store, "c", now + 30_001)).toBeUndefined();
      await jobs.expireLeases("b");
      expect(await jobs.renew(lease, leaseMs)).toBe(false);
      ({ lease, suspects } = await claimNext(db.store, "c", now + 30_001));
      expect(suspects).toEqual([0, 7, 8]);
      await jobs.setInFlight(lease, [9]);
      await jobs.release(lease);
      ({ lease, suspects } = await claimNext(db.store, "d", now + 30_002));
      expect(suspects).toEqual([0, 7, 8]);
      await jobs.setInFlight(lease, [9]);
      await jobs.setInFlight(lease, []);
      await jobs.expireLeases("d");
      ({ lease, suspects } = await claimNext(db.store, "e", now + 30_003));
      expect(suspects).toEqual([0, 7, 8]);
      await jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now + 30_004);
    });

    it("ends the leases of processes of this host that are dead, and of no others", async () => {
      const { workspaceId } = await createTenant(db.store);
      for (let count = 0; count < 3; count++) await createDataset(db.store, workspaceId);
      const ended = `${hostname()}:${spawnSync(process.execPath, ["--version"]).pid}:dead`;
      const alive = `${hostname()}:${process.ppid}:alive`;
      const [gone, here, away] = [
        await claimNext(db.store, ended, now),
        await claimNext(db.store, alive, now),
        await claimNext(db.store, "another-host:1:x", now),
      ];
      await db.store.expireDead();
      expect(await db.store.jobs.renew(gone.lease, leaseMs)).toBe(false);
      for (const { lease } of [here, away]) {
        expect(await db.store.jobs.renew(lease, leaseMs)).toBe(true);
        await db.store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);
      }
      const { lease } = await claimNext(db.store, "w", now);
      await db.store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);
    });

    it("tells claims apart, also of one process, and honours none that lasts because the clock was set back", async () => {
      const { workspaceId } = await createTenant(db.store);
      const { job } = await createDataset(db.store, workspaceId);
      const { jobs } = db.store;
      const hour = 3_600_000;
      const first = await claimNext(db.store, "same", now);
      const second = await claimNext(db.store, "same", now + hour);
      expect(second.job.id).toBe(job.id);
      for (const write of [
        () => jobs.renew(first.lease, leaseMs),
        () => jobs.setProgress(first.lease, { stage: "read", pagesDone: 1, pagesTotal: 1 }, now),
        () => jobs.setInFlight(first.lease, [1]),
        () => jobs.finish(first.lease, { status: "SUCCESS", statusText: "" }, now),
        () => db.store.pages.save(first.lease, job.datasetId, [makePage(1)], now),
        () => db.store.datasets.setItemCount(first.lease, job.datasetId, 9, now),
        () => db.store.datasets.setConverted(first.lease, job.datasetId, { key: "converted/x", size: 1 }, now),
        () => db.store.pages.clearEmbedded(first.lease, job.datasetId),
        () => db.store.pages.clearFailures(first.lease, job.datasetId),
      ]) {
        expect(await write()).toBe(false);
      }
      await jobs.release(first.lease);
      expect(await jobs.renew(second.lease, leaseMs)).toBe(true);
      // The clock is set right again: the lease seems to last for an hour.
      const third = await claimNext(db.store, "other", now + 1);
      expect(await jobs.renew(second.lease, leaseMs)).toBe(false);
      await jobs.finish(third.lease, { status: "SUCCESS", statusText: "" }, now);
    });

    it("gives a job back for a while, says why, and counts the tries", async () => {
      const { workspaceId } = await createTenant(db.store);
      const { job } = await createDataset(db.store, workspaceId);
      const { jobs } = db.store;
      const first = await claimNext(db.store, "w", now);
      expect(first.tries).toBe(0);
      const pause = { statusText: "no room; trying again", afterMs: 1_000 };
      expect(await jobs.postpone(first.lease, { ...pause, isTry: true }, now)).toBe(1);
      expect(await jobs.postpone(first.lease, { ...pause, isTry: true }, now)).toBeUndefined();
      const waiting = await jobs.get(workspaceId, job.id);
      expect(waiting).toMatchObject({ status: "IN_QUEUE", statusText: pause.statusText, finishedAt: null });
      expect(await claimAt(db.store, "w", now + 999)).toBeUndefined();
      const second = await claimNext(db.store, "w", now + 1_000);
      expect(second).toMatchObject({ tries: 1, job: { status: "IN_PROGRESS", statusText: null } });
      expect(await jobs.postpone(second.lease, { ...pause, isTry: false }, now)).toBe(1);
      await jobs.endPauses();
      const third = await claimNext(db.store, "w", now + 1_001);
      await jobs.finish(third.lease, { status: "SUCCESS", statusText: "" }, now);
    });

    it("never gives one job to two workers on two connections", async () => {
      const { workspaceId } = await createTenant(db.store);
      const count = 60;
      for (let index = 0; index < count; index++) await createDataset(db.store, workspaceId);
      const connections = [db.store, await db.connect()];
      const claimedBy = connections.map(async (metadata, index) => {
        const ids: JobId[] = [];
        for (;;) {
          const claimed = await claimAt(metadata, `worker ${index}`, now);
          if (claimed === undefined) return ids;
          ids.push(claimed.job.id);
          // Lets the other connection's turn come.
          await new Promise((resolve) => setImmediate(resolve));
          await metadata.pages.save(claimed.lease, claimed.job.datasetId, [makePage(1)], now);
        }
      });
      const lists = await Promise.all(claimedBy);
      expect(lists.flat()).toHaveLength(count);
      expect(new Set(lists.flat()).size).toBe(count);
      expect(Math.min(...lists.map((ids) => ids.length))).toBeGreaterThan(0);
    });
  });
}
