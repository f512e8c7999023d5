import { describe, expect, it } from "vitest";
import { newJobId } from "../../server/domain/ids.ts";
import { newJob } from "../../server/domain/jobs/job.ts";
import { useMetadata, type OpenMetadataFixture } from "./testing/metadata.ts";
import {
  cancelled,
  claimNext,
  createDataset,
  createTenant,
  leaseMs,
  makeDataset,
  makeEvent,
  makeJob,
  makePage,
  morning,
} from "./testing/records.ts";

/** The contract of jobs as callers see them: lists, revisions, ends and reruns. */
export function jobsContract(open: OpenMetadataFixture): void {
  describe("jobs", () => {
    const now = morning + 1000;
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
      expect(await jobs.cancel(stranger.workspaceId, job.id, cancelled(), now)).toBeUndefined();
    });

    it("tells the revisions of jobs of any workspace, however many, and of none that there is not", async () => {
      const jobs = [];
      for (let tenant = 0; tenant < 2; tenant++) {
        const { workspaceId } = await createTenant(db.store);
        jobs.push((await createDataset(db.store, workspaceId)).job);
      }
      const unknown = Array.from({ length: 2_000 }, () => newJobId());
      const ids = jobs.map(({ id }) => id);
      expect(await db.store.jobs.revisions([...unknown, ...ids])).toEqual(new Map(ids.map((id) => [id, 0])));
      expect(await db.store.jobs.revisions([])).toEqual(new Map());
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
      await jobs.renew(lease, leaseMs);
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
      const first = await jobs.cancel(workspaceId, job.id, cancelled(), now + 1);
      expect(first).toMatchObject({
        isCancelled: true,
        job: { status: "ERROR", statusText: "cancelled", canceledAt: now + 1, finishedAt: now + 1 },
      });
      expect(await jobs.renew(lease, leaseMs)).toBe(false);
      expect(await jobs.setProgress(lease, { stage: "read", pagesDone: 1, pagesTotal: 2 }, now)).toBe(false);
      expect(await jobs.setInFlight(lease, [1])).toBe(false);
      expect(await jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now + 2)).toBe(false);
      expect(await jobs.cancel(workspaceId, job.id, cancelled("again"), now + 5)).toEqual({
        ...first,
        isCancelled: false,
      });
    });

    describe("that run again, or are cancelled", () => {
      const db = useMetadata(open);

      it("runs again what has failed, and nothing else", async () => {
        const { workspaceId } = await createTenant(db.store);
        const stranger = await createTenant(db.store);
        const { dataset, job } = await createDataset(db.store, workspaceId);
        const { jobs, pages } = db.store;
        expect(await jobs.retry(workspaceId, job.id, now)).toBe("unfinished");
        let { lease } = await claimNext(db.store, "w", now);
        await pages.save(lease, dataset.id, [makePage(1), makePage(2, { failure: "torn" })], now);
        await jobs.finish(lease, { status: "SUCCESS", statusText: "1 of 2 pages" }, now);
        expect(await jobs.retry(stranger.workspaceId, job.id, now)).toBeUndefined();
        expect(await jobs.retry(workspaceId, job.id, now)).toMatchObject({
          id: job.id,
          finishedAt: null,
          startedAt: null,
        });

        const again = await claimNext(db.store, "w", now);
        expect(again).toMatchObject({ job: { id: job.id }, retriesFailures: true });
        ({ lease } = again);
        expect(await pages.clearFailures(lease, dataset.id)).toBe(true);
        expect(await pages.finished(dataset.id)).toEqual([1]);
        await jobs.release(lease);
        const third = await claimNext(db.store, "w", now);
        expect(third.retriesFailures).toBe(false);
        await pages.save(third.lease, dataset.id, [makePage(2)], now);
        await jobs.finish(third.lease, { status: "SUCCESS", statusText: "" }, now);
        expect(await jobs.retry(workspaceId, job.id, now)).toBe("complete");

        const vectorize = makeJob(dataset, "datasets/vectorize", { createdAt: now });
        expect(await jobs.createVectorize(vectorize)).toBe("created");
        ({ lease } = await claimNext(db.store, "w", now));
        await jobs.finish(lease, { status: "ERROR", statusText: "no" }, now);
        const second = makeJob(dataset, "datasets/vectorize", { createdAt: now });
        expect(await jobs.createVectorize(second)).toBe("created");
        expect(await jobs.retry(workspaceId, vectorize.id, now)).toBe("superseded");
        await jobs.cancel(workspaceId, second.id, cancelled(), now);
        expect(await jobs.retry(workspaceId, vectorize.id, now)).toMatchObject({ id: vectorize.id });
        await db.store.datasets.delete(workspaceId, dataset.id, now, makeEvent());
        expect(await jobs.retry(workspaceId, vectorize.id, now)).toBe("gone");
      });

      it("keeps of which trace a job is, until it runs again in another", async () => {
        const { workspaceId } = await createTenant(db.store);
        const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        const dataset = makeDataset(workspaceId);
        const { jobs, datasets } = db.store;
        const job = makeJob(dataset, "datasets/extract", { traceparent });
        await datasets.create(dataset, job);
        const first = await claimNext(db.store, "w", now);
        expect(first.job).toMatchObject({ id: job.id, traceparent });
        await jobs.release(first.lease);
        const { job: same, lease } = await claimNext(db.store, "v", now);
        expect(same.traceparent).toBe(traceparent);
        await jobs.finish(lease, { status: "ERROR", statusText: "no" }, now);
        expect(await jobs.get(workspaceId, job.id)).toMatchObject({ traceparent });

        const another = traceparent.replace("4bf9", "5bf9");
        expect(await jobs.retry(workspaceId, job.id, now, another)).toMatchObject({ traceparent: another });
        const again = await claimNext(db.store, "w", now);
        expect(again.job.traceparent).toBe(another);
        await jobs.finish(again.lease, { status: "ERROR", statusText: "no" }, now);
        await jobs.retry(workspaceId, job.id, now);
        expect((await claimNext(db.store, "w", now)).job.traceparent).toBeNull();
      });

      it("removes what a cancelled job has made, and leaves what was there before", async () => {
        const { workspaceId } = await createTenant(db.store);
        const { jobs, datasets, indices, packs } = db.store;
        const only = await createDataset(db.store, workspaceId);
        await jobs.cancel(workspaceId, only.job.id, cancelled(), now);
        expect(await datasets.get(workspaceId, only.dataset.id, now)).toBeUndefined();

        await packs.use({ id: "p@1.0.0", model: "p", manifest: "{}" }, now);
        const { dataset } = await createDataset(db.store, workspaceId);
        const first = await claimNext(db.store, "w", now);
        await db.store.pages.save(first.lease, dataset.id, [makePage(1)], now);
        await jobs.finish(first.lease, { status: "SUCCESS", statusText: "" }, now);
        const vectorize = makeJob(dataset, "datasets/vectorize", { createdAt: now });
        await jobs.createVectorize(vectorize);
        const { lease } = await claimNext(db.store, "w", now);
        const index = await indices.begin(lease, dataset, true, now);
        await db.store.pages.markEmbedded(lease, dataset.id, [1], now);
        expect(await db.store.pages.getItem(dataset.id, 1, "embedding_image")).toBeDefined();
        await jobs.cancel(workspaceId, vectorize.id, cancelled(), now);
        expect(await datasets.get(workspaceId, dataset.id, now)).toBeDefined();
        expect(await db.store.pages.getItem(dataset.id, 1, "embedding_image")).toBeUndefined();
        expect(await indices.generations([dataset.id])).toEqual([]);
        const table = { workspaceId: dataset.workspaceId, pack: index?.pack };
        const garbage = { kind: "vectors", key: dataset.id, generation: index?.generation, table };
        expect(await db.store.garbage.due(now + 10_000, 100)).toContainEqual(garbage);
      });

      it("keeps the dataset of a job that is cancelled while it runs again", async () => {
        const { workspaceId } = await createTenant(db.store);
        const { dataset, job } = await createDataset(db.store, workspaceId);
        const { jobs } = db.store;
        const { lease } = await claimNext(db.store, "w", now);
        await jobs.finish(lease, { status: "ERROR", statusText: "no" }, now);
        await jobs.retry(workspaceId, job.id, now);
        expect(await jobs.cancel(workspaceId, job.id, cancelled(), now)).toMatchObject({ isCancelled: true });
        expect(await db.store.datasets.get(workspaceId, dataset.id, now)).toBeDefined();
      });
    });
  });

  // With separate jobs, since it claims whichever job is next.
  describe("jobs that have not failed", () => {
    const db = useMetadata(open);
    const now = morning + 1000;

    it("tells the jobs of datasets that are unfinished or have succeeded, newest first", async () => {
      const { workspaceId } = await createTenant(db.store);
      const { jobs } = db.store;
      const first = await createDataset(db.store, workspaceId, { createdAt: morning });
      const { lease } = await claimNext(db.store, "w", now);
      await jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);
      const failed = await createDataset(db.store, workspaceId, { createdAt: morning + 1 });
      const { lease: failing } = await claimNext(db.store, "w", now);
      await jobs.finish(failing, { status: "ERROR", statusText: "broken" }, now);
      const vectorize = newJob(workspaceId, first.dataset.id, "datasets/vectorize", now + 1);
      expect(await jobs.createVectorize(vectorize)).toBe("created");
      const ids = [first.dataset.id, failed.dataset.id];
      expect((await jobs.standing(ids)).map(({ id, status }) => [id, status])).toEqual([
        [vectorize.id, "NOT_STARTED"],
        [first.job.id, "SUCCESS"],
      ]);
      expect(await jobs.standing([failed.dataset.id])).toEqual([]);
      expect(await jobs.standing([])).toEqual([]);
    });
  });
}
