import { describe, expect, it } from "vitest";
import { type JobId, newWorkspaceId } from "../../server/domain/ids.ts";
import type { Lease } from "../../server/domain/ports/metadata.ts";
import { useMetadata, type OpenMetadataFixture } from "./fixture.ts";
import { claimNext, createDataset, createTenant, makeEvent, makeJob, makePage, morning } from "./records.ts";

/** The queue: order, leases, what a death costs, and what callers see of it. */
export function jobsContract(open: OpenMetadataFixture): void {
  describe("jobs", () => {
    const now = morning + 1000;

    describe("as callers see them", () => {
      const db = useMetadata(open);

      it("lists from the newest, hides long finished ones, and shows nothing of other workspaces", async () => {
        const { workspaceId } = await createTenant(db.store);
        const stranger = await createTenant(db.store);
        const { jobs } = db.store;
        const made = [];
        for (const createdAt of [morning, morning + 2, morning + 1]) {
          made.push((await createDataset(db.store, workspaceId, { createdAt })).job);
        }
        const [oldest, newest, middle] = made.map(({ id }) => id);
        const query = { workspaceId, statuses: [], offset: 0, limit: 10, finishedSince: now };
        const ids = async (fields: Partial<Parameters<typeof jobs.list>[0]>) => {
          const { total, data } = await jobs.list({ ...query, ...fields });
          return [total, ...data.map(({ id }) => id)];
        };
        expect(await ids({})).toEqual([3, newest, middle, oldest]);
        expect(await ids({ offset: 1, limit: 1 })).toEqual([3, middle]);
        expect(await ids({ workspaceId: stranger.workspaceId })).toEqual([0]);
        const { job, lease } = await claimNext(db.store, "w", now);
        expect(job.id).toBe(oldest);
        await jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);
        expect(await ids({ finishedSince: now })).toEqual([3, newest, middle, oldest]);
        expect(await ids({ finishedSince: now + 1 })).toEqual([2, newest, middle]);
        expect(await ids({ statuses: ["SUCCESS", "ERROR"] })).toEqual([1, oldest]);
        expect(await jobs.get(workspaceId, job.id)).toMatchObject({ status: "SUCCESS", finishedAt: now });
        expect(await jobs.get(stranger.workspaceId, job.id)).toBeUndefined();
        expect(await jobs.cancel(stranger.workspaceId, job.id, "cancelled", now)).toBeUndefined();
        expect(await jobs.countUnfinished()).toBe(2);
      });

      it("raises the revision with every change that shows, and only then", async () => {
        const { workspaceId } = await createTenant(db.store);
        const { job } = await createDataset(db.store, workspaceId, { createdAt: 1 });
        const { jobs } = db.store;
        const revision = async () => (await jobs.get(workspaceId, job.id))?.revision;
        expect(await revision()).toBe(0);
        await jobs.markSeen(now);
        expect(await jobs.get(workspaceId, job.id)).toMatchObject({ status: "IN_QUEUE", revision: 1, updatedAt: now });
        await jobs.markSeen(now);
        expect(await revision()).toBe(1);
        const { lease } = await claimNext(db.store, "w", now + 1);
        expect(await jobs.get(workspaceId, job.id)).toMatchObject({
          status: "IN_PROGRESS",
          startedAt: now + 1,
          revision: 2,
        });
        const progress = { stage: "read", pagesDone: 3, pagesTotal: 9 } as const;
        expect(await jobs.setProgress(lease, progress, now + 2)).toBe(true);
        expect(await jobs.get(workspaceId, job.id)).toMatchObject({ progress, revision: 3, updatedAt: now + 2 });
        await jobs.renew(lease, now + 90_000);
        await jobs.setInFlight(lease, [4]);
        expect(await revision()).toBe(3);
        expect(await jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now + 3)).toBe(true);
        expect(await jobs.get(workspaceId, job.id)).toEqual({
          ...job,
          status: "SUCCESS",
          statusText: "",
          progress: { ...progress, stage: "done" },
          startedAt: now + 1,
          finishedAt: now + 3,
          updatedAt: now + 3,
          revision: 4,
        });
      });

      it("cancels an unfinished job and leaves a finished one as it is", async () => {
        const { workspaceId } = await createTenant(db.store);
        const { job } = await createDataset(db.store, workspaceId, { createdAt: 1 });
        const { jobs } = db.store;
        const { lease } = await claimNext(db.store, "w", now);
        const cancelled = await jobs.cancel(workspaceId, job.id, "cancelled", now + 1);
        expect(cancelled).toMatchObject({ status: "ERROR", statusText: "cancelled", canceledAt: now + 1 });
        expect(cancelled?.finishedAt).toBe(now + 1);
        expect(await jobs.renew(lease, now + 90_000)).toBe(false);
        expect(await jobs.setProgress(lease, { stage: "read", pagesDone: 1, pagesTotal: 2 }, now)).toBe(false);
        expect(await jobs.setInFlight(lease, [1])).toBe(false);
        expect(await jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now + 2)).toBe(false);
        expect(await jobs.cancel(workspaceId, job.id, "again", now + 5)).toEqual(cancelled);
      });
    });

    describe("as workers take them", () => {
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
        expect(await jobs.claim("c", now, now + 1000)).toBeUndefined();
        await jobs.finish(first.lease, { status: "SUCCESS", statusText: "" }, now);
        const third = await claimNext(db.store, "a", now);
        expect(third.job.id).toBe(vectorize.id);
        await jobs.finish(third.lease, { status: "SUCCESS", statusText: "" }, now);
        await jobs.finish(second.lease, { status: "ERROR", statusText: "no" }, now);
        expect(await jobs.claim("c", now, now + 1000)).toBeUndefined();
      });

      it("lets workspaces take turns: the fewest jobs at work first, then who waits longest, then the oldest job", async () => {
        const large = await createTenant(db.store);
        const small = await createTenant(db.store);
        for (let count = 0; count < 4; count++) {
          await createDataset(db.store, large.workspaceId, { createdAt: morning + count });
        }
        for (let count = 0; count < 2; count++) {
          await createDataset(db.store, small.workspaceId, { createdAt: morning + 100 + count });
        }
        const { jobs } = db.store;
        let at = now;
        const next = async () => {
          at += 1;
          const claimed = await claimNext(db.store, "w", at);
          return { ...claimed, whose: claimed.job.workspaceId === large.workspaceId ? "large" : "small" };
        };
        const end = (lease: Lease) => jobs.finish(lease, { status: "SUCCESS", statusText: "" }, at);

        const first = await next();
        const second = await next();
        expect([first.whose, second.whose]).toEqual(["large", "small"]);
        await end(first.lease);
        // The large one has nothing at work any more, the small one still has.
        const third = await next();
        expect(third.whose).toBe("large");
        await end(second.lease);
        await end(third.lease);
        // Nobody has anything at work: the small one was served longer ago, though its job is younger.
        const fourth = await next();
        expect(fourth.whose).toBe("small");
        await end(fourth.lease);
        for (const rest of [await next(), await next()]) {
          expect(rest.whose).toBe("large");
          await end(rest.lease);
        }
        expect(await jobs.claim("w", at, at + 1000)).toBeUndefined();
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
        expect(await jobs.claim("w", now + 2, now + 1000)).toBeUndefined();
        await jobs.finish(first.lease, { status: "SUCCESS", statusText: "" }, now + 3);
        const third = await claimNext(db.store, "w", now + 4);
        expect(await jobs.claim("w", now + 5, now + 1000)).toBeUndefined();
        for (const { lease } of [other, third])
          await jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now + 6);
        const last = await claimNext(db.store, "w", now + 7);
        await jobs.finish(last.lease, { status: "SUCCESS", statusText: "" }, now + 8);
      });

      it("gives a job to another worker when its lease runs out, and the first one loses it", async () => {
        const { workspaceId } = await createTenant(db.store);
        const { job } = await createDataset(db.store, workspaceId);
        const { jobs } = db.store;
        const first = await claimNext(db.store, "a", now);
        const until = now + 30_000;
        expect(await jobs.claim("b", until - 1, until + 30_000)).toBeUndefined();
        expect(await jobs.renew(first.lease, until + 10)).toBe(true);
        expect(await jobs.claim("b", until, until + 30_000)).toBeUndefined();
        const second = await jobs.claim("b", until + 10, until + 60_000);
        expect(second?.job).toMatchObject({ id: job.id, startedAt: now, status: "IN_PROGRESS" });
        expect(await jobs.renew(first.lease, until + 90_000)).toBe(false);
        expect(await jobs.finish(first.lease, { status: "SUCCESS", statusText: "" }, until)).toBe(false);
        await jobs.release(first.lease);
        expect(await jobs.claim("c", until + 20, until + 90_000)).toBeUndefined();
        if (second === undefined) throw new Error("not claimed");
        expect(await jobs.finish(second.lease, { status: "SUCCESS", statusText: "" }, until)).toBe(true);
      });

      it("counts a death for every page that was in flight, and none for a job that was given back", async () => {
        const { workspaceId } = await createTenant(db.store);
        await createDataset(db.store, workspaceId);
        const { jobs } = db.store;
        let { lease, crashes } = await claimNext(db.store, "a", now);
        expect(crashes).toEqual([]);
        await jobs.setInFlight(lease, [7, 8]);
        ({ lease, crashes } = await claimNext(db.store, "b", now + 30_000));
        expect(crashes).toEqual([
          { page: 7, crashes: 1 },
          { page: 8, crashes: 1 },
        ]);
        await jobs.setInFlight(lease, [0, 7]);
        await jobs.expireLeases("another owner");
        expect(await jobs.claim("c", now + 30_001, now + 90_000)).toBeUndefined();
        await jobs.expireLeases("b");
        expect(await jobs.renew(lease, now + 90_000)).toBe(false);
        ({ lease, crashes } = await claimNext(db.store, "c", now + 30_001));
        const deaths = [
          { page: 0, crashes: 1 },
          { page: 7, crashes: 2 },
          { page: 8, crashes: 1 },
        ];
        expect(crashes).toEqual(deaths);
        await jobs.setInFlight(lease, [9]);
        await jobs.release(lease);
        ({ lease, crashes } = await claimNext(db.store, "d", now + 30_002));
        expect(crashes).toEqual(deaths);
        await jobs.setInFlight(lease, [9]);
        await jobs.setInFlight(lease, []);
        await jobs.expireLeases(undefined);
        ({ lease, crashes } = await claimNext(db.store, "e", now + 30_003));
        expect(crashes).toEqual(deaths);
        await jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now + 30_004);
      });

      it("never gives one job to two workers on two connections", async () => {
        const { workspaceId } = await createTenant(db.store);
        const count = 60;
        for (let index = 0; index < count; index++) await createDataset(db.store, workspaceId);
        const connections = [db.store, await db.connect()];
        const claimedBy = connections.map(async (metadata, index) => {
          const ids: JobId[] = [];
          for (;;) {
            const claimed = await metadata.jobs.claim(`worker ${index}`, now, now + 30_000);
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
  });
}
