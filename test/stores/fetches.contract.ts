import { describe, expect, it } from "vitest";
import { newJobId } from "../../server/domain/ids.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { type OpenMetadataFixture, useMetadata } from "./testing/metadata.ts";
import { claimNext, createTenant, makeDataset, makeEvent, makeJob, morning } from "./testing/records.ts";

const address = "https://example.org/report?signature=abc";
const found = {
  fileName: "report.docx",
  fileExt: "docx",
  mimeType: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  fileSize: 4_000,
  sha256: "ab".repeat(32),
};

/** Documents that are still to be fetched. */
export function fetchesContract(open: OpenMetadataFixture): void {
  describe("fetches", () => {
    const db = useMetadata(open);
    const now = morning + 1000;

    /** An awaited dataset whose job has been claimed. */
    async function awaited(store: Metadata) {
      const { organisationId, workspaceId } = await createTenant(store);
      const dataset = makeDataset(workspaceId, { fileSize: 0, sha256: "" });
      const job = makeJob(dataset);
      await store.fetches.create(dataset, job, address);
      const { lease } = await claimNext(store, "w", now);
      expect(lease.jobId).toBe(job.id);
      const key = `originals/${dataset.id}.abc`;
      const come = { ...found, originalKey: key };
      const dueBlobs = async () => (await store.garbage.due(now, 1000)).filter((garbage) => garbage.key === key);
      return {
        organisationId,
        workspaceId,
        dataset,
        job,
        lease,
        garbage: { kind: "blob", key } as const,
        dueBlobs,
        come,
      };
    }

    it("keeps the address of a dataset that is there from the start", async () => {
      const { store } = db;
      const { workspaceId, dataset, lease } = await awaited(store);
      expect(await store.datasets.get(workspaceId, dataset.id, now)).toEqual(dataset);
      expect(await store.fetches.get(dataset.id)).toBe(address);
      await store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);
    });

    it("leaves nothing of a dataset whose creation fails", async () => {
      const { store } = db;
      const { workspaceId, job, lease } = await awaited(store);
      const dataset = makeDataset(workspaceId);
      const twice = { ...makeJob(dataset), id: job.id };
      await expect(store.fetches.create(dataset, twice, address)).rejects.toThrow(/constraint/i);
      expect(await store.datasets.get(workspaceId, dataset.id, now)).toBeUndefined();
      expect(await store.fetches.get(dataset.id)).toBeUndefined();
      await store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);
    });

    it("enters what has been fetched, and takes it off the garbage list", async () => {
      const { store } = db;
      const { workspaceId, dataset, lease, garbage, dueBlobs, come } = await awaited(store);
      await store.garbage.add([garbage], now);
      expect(await store.fetches.done(lease, dataset.id, come, now)).toBe("entered");
      expect(await store.datasets.get(workspaceId, dataset.id, now)).toEqual({ ...dataset, ...come, updatedAt: now });
      expect(await store.fetches.get(dataset.id)).toBeUndefined();
      expect(await dueBlobs()).toEqual([]);
      await store.jobs.finish(lease, { status: "ERROR", statusText: "damaged" }, now);
      expect(await store.datasets.get(workspaceId, dataset.id, now)).toBeDefined();
    });

    it("enters nothing for a worker that has lost the job", async () => {
      const { store } = db;
      const { workspaceId, dataset, job, lease, garbage, dueBlobs, come } = await awaited(store);
      await store.garbage.add([garbage], now);
      await store.jobs.expireLeases("w");
      const next = await claimNext(store, "v", now);
      expect(next.job.id).toBe(job.id);
      expect(await store.fetches.done(lease, dataset.id, come, now)).toBe("lost");
      expect(await store.datasets.get(workspaceId, dataset.id, now)).toEqual(dataset);
      expect(await store.fetches.get(dataset.id)).toBe(address);
      expect(await dueBlobs()).toEqual([garbage]);
      await store.jobs.finish(next.lease, { status: "SUCCESS", statusText: "" }, now);
    });

    it("removes the dataset with the job that could not fetch it, and ends the jobs that waited for it", async () => {
      const { store } = db;
      const { organisationId, workspaceId, dataset, job, lease } = await awaited(store);
      const waiting = makeJob(dataset, "datasets/vectorize", { id: newJobId(), createdAt: now });
      expect(await store.jobs.createVectorize(waiting)).toBe("created");
      expect(await store.jobs.finish(lease, { status: "ERROR", statusText: "answered 404" }, now)).toBe(true);
      expect(await store.datasets.get(workspaceId, dataset.id, now)).toBeUndefined();
      expect(await store.fetches.get(dataset.id)).toBeUndefined();
      expect(await store.jobs.get(workspaceId, job.id)).toMatchObject({ statusText: "answered 404", canceledAt: null });
      expect(await store.jobs.get(workspaceId, waiting.id)).toMatchObject({ status: "ERROR", finishedAt: now });
      const { data } = await store.audit.list({ organisationId, offset: 0, limit: 10, action: "" });
      expect(data).toEqual([
        {
          id: expect.stringMatching(/^evt_/),
          organisationId,
          at: now,
          actor: "service",
          action: "dataset.delete",
          target: dataset.id,
          workspaceId,
          details: `job ${job.id} could not fetch its document`,
        },
      ]);
    });

    it("forgets the address with the dataset", async () => {
      const { store } = db;
      const { workspaceId, dataset, lease, come } = await awaited(store);
      expect(await store.datasets.delete(workspaceId, dataset.id, now, makeEvent())).toEqual({ freedBytes: 0 });
      expect(await store.fetches.get(dataset.id)).toBeUndefined();
      expect(await store.fetches.done(lease, dataset.id, come, now)).toBe("lost");
    });
  });
}
