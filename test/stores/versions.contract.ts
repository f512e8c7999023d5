import { afterEach, describe, expect, it } from "vitest";
import { type Dataset, publicId } from "../../server/domain/datasets/dataset.ts";
import { newDatasetId, type WorkspaceId } from "../../server/domain/ids.ts";
import { type Job, newJob } from "../../server/domain/jobs/job.ts";
import type { Replacement } from "../../server/domain/ports/datasets.ts";
import type { ClaimedJob } from "../../server/domain/ports/jobs.ts";
import { useMetadata, type OpenMetadataFixture } from "./testing/metadata.ts";
import {
  cancelled,
  claimAt,
  claimNext,
  createDataset,
  createTenant,
  makeDataset,
  makeEvent,
  makeJob,
  makePage,
  morning,
} from "./testing/records.ts";

/** New versions of documents: seen by nothing but their job until it has succeeded, then in the place of the one before. */
export function versionsContract(open: OpenMetadataFixture): void {
  describe("versions", () => {
    const db = useMetadata(open);
    const now = morning + 1000;
    const said = { customer: 42 };

    // The next case claims its own jobs.
    afterEach(async () => {
      const end = { status: "ERROR", statusText: "" } as const;
      for (let left = await claimAt(db.store, "worker", now); left; left = await claimAt(db.store, "worker", now))
        await db.store.jobs.finish(left.lease, end, now);
    });

    async function stored(fields: Partial<Dataset> = {}) {
      const { organisationId, workspaceId } = await createTenant(db.store);
      const { dataset } = await createDataset(db.store, workspaceId, {
        metadata: said,
        expiresAt: now + 90_000,
        ...fields,
      });
      await work(await claimNext(db.store), dataset, 2);
      return { organisationId, workspaceId, dataset };
    }

    function makeVersion(workspaceId: WorkspaceId, versionOf: Dataset["id"], fields: Partial<Dataset> = {}) {
      const dataset = makeDataset(workspaceId, {
        versionOf,
        fileName: "second.pdf",
        fileSize: 3000,
        sha256: "11".repeat(32),
        createdAt: now,
        ...fields,
      });
      const job: Job = {
        ...newJob(workspaceId, dataset.id, "datasets/extract", now, { versionOf }),
        revision: 0,
      };
      return { dataset, job };
    }

    /** Reads a document of so many pages and ends its job. */
    async function work({ lease }: ClaimedJob, { id }: Dataset, pages: number, status: Job["status"] = "SUCCESS") {
      const numbers = Array.from({ length: pages }, (_, index) => makePage(index + 1));
      await db.store.datasets.setItemCount(lease, id, pages, now);
      await db.store.pages.save(lease, id, numbers, now);
      const end = { status: status === "SUCCESS" ? status : ("ERROR" as const), statusText: "" };
      expect(await db.store.jobs.finish(lease, end, now + 5)).toBe(true);
    }

    const replacement = (event = makeEvent(), isTarget = true): Replacement => ({ event, isTarget: () => isTarget });

    const everything = (workspaceId: WorkspaceId) => ({
      workspaceId,
      types: [],
      sha256: [],
      sort: [],
      offset: 0,
      limit: 10,
      now,
    });

    it("nothing but its job sees one that is being read", async () => {
      const { workspaceId, dataset } = await stored();
      const before = await db.store.datasets.get(workspaceId, dataset.id, now);
      const version = makeVersion(workspaceId, dataset.id);
      expect(await db.store.datasets.createVersion(version.dataset, version.job, replacement())).toBe("created");
      const { datasets } = db.store;
      expect(await datasets.get(workspaceId, dataset.id, now)).toEqual(before);
      expect(await datasets.get(workspaceId, version.dataset.id, now)).toBeUndefined();
      expect(await datasets.getMany(workspaceId, [dataset.id, version.dataset.id], now)).toEqual([before]);
      const query = everything(workspaceId);
      for (const narrowed of [
        query,
        { ...query, types: ["doc"] as const },
        { ...query, sha256: [dataset.sha256, version.dataset.sha256] },
        { ...query, filter: { kind: "exists", field: "customer" } as const },
      ])
        expect(await datasets.list(narrowed)).toMatchObject({ total: 1, data: [{ id: dataset.id }] });
      expect(await datasets.ids({ workspaceId, filter: undefined, limit: 10, now })).toEqual([dataset.id]);
      // Its job does, and is seen with the dataset.
      expect(await datasets.getUnscoped(version.dataset.id, now)).toMatchObject({ metadata: said, expiresAt: null });
      const listed = await db.store.jobs.list({
        ...query,
        statuses: ["NOT_STARTED"],
        finishedSince: 0,
        filter: { kind: "exists", field: "customer" },
      });
      expect(listed.data.map(({ id, versionOf }) => ({ id, versionOf }))).toEqual([
        { id: version.job.id, versionOf: dataset.id },
      ]);
    });

    it("takes the place of the one before when its job has succeeded, and again", async () => {
      const { workspaceId, dataset } = await stored();
      let before = dataset.id;
      for (const pages of [3, 1]) {
        const version = makeVersion(workspaceId, dataset.id);
        expect(await db.store.datasets.createVersion(version.dataset, version.job, replacement())).toBe("created");
        await work(await claimNext(db.store), version.dataset, pages);
        const served = await db.store.datasets.get(workspaceId, dataset.id, now);
        expect(served).toEqual({
          ...version.dataset,
          itemCount: pages,
          metadata: said,
          createdAt: dataset.createdAt,
          expiresAt: dataset.expiresAt,
          updatedAt: now + 5,
        });
        expect(await db.store.datasets.getUnscoped(before, now)).toBeUndefined();
        expect(await db.store.pages.finished(before)).toEqual([]);
        expect(await db.store.pages.finished(version.dataset.id)).toHaveLength(pages);
        expect(await db.store.datasets.list(everything(workspaceId))).toMatchObject({ total: 1, data: [served] });
        expect(
          await db.store.datasets.list({ ...everything(workspaceId), filter: { kind: "exists", field: "customer" } }),
        ).toMatchObject({ total: 1 });
        const due = await db.store.garbage.due(now + 90_000, 100);
        for (const kind of ["rows", "vectors", "renditions"] as const)
          expect(due).toContainEqual(expect.objectContaining({ kind, key: before }));
        expect(due).toContainEqual(expect.objectContaining({ kind: "blob", key: `originals/${before}` }));
        expect(due).not.toContainEqual(
          expect.objectContaining({ kind: "blob", key: `originals/${version.dataset.id}` }),
        );
        before = version.dataset.id;
      }
      expect(await db.store.datasets.isReplacedSince(workspaceId, now + 5)).toBe(true);
      expect(await db.store.datasets.isReplacedSince(workspaceId, now + 6)).toBe(false);
      expect(await db.store.datasets.isReplacedSince((await createTenant(db.store)).workspaceId, now)).toBe(false);
      const { stored: bytes, documents, pages } = await db.store.usage.ofWorkspace(workspaceId);
      expect({ originals: bytes.originals, documents, pages }).toEqual({ originals: 3000, documents: 1, pages: 1 });
      expect(await db.store.usage.recount(workspaceId)).toEqual(await db.store.usage.ofWorkspace(workspaceId));
    });

    it.each(["ERROR", "cancel"] as const)("leaves the one before as it was after %s", async (how) => {
      const { workspaceId, dataset } = await stored();
      const before = await db.store.datasets.get(workspaceId, dataset.id, now);
      const { dataset: version, job } = makeVersion(workspaceId, dataset.id);
      await db.store.datasets.createVersion(version, job, replacement());
      const claimed = await claimNext(db.store);
      if (how === "ERROR") await work(claimed, version, 2, "ERROR");
      else {
        expect(await db.store.jobs.cancel(workspaceId, job.id, cancelled(), now)).toMatchObject({ isCancelled: true });
        // What a worker does that has not noticed it yet.
        expect(await db.store.jobs.finish(claimed.lease, { status: "SUCCESS", statusText: "" }, now)).toBe(false);
      }
      expect(await db.store.datasets.get(workspaceId, dataset.id, now)).toEqual(before);
      expect(await db.store.pages.finished(dataset.id)).toHaveLength(2);
      expect(await db.store.datasets.getUnscoped(version.id, now)).toBeUndefined();
      expect(await db.store.jobs.retry(workspaceId, job.id, now)).toBe("gone");
      const due = await db.store.garbage.due(now + 90_000, 100);
      expect(due.filter(({ key }) => key.includes(dataset.id))).toEqual([]);
      expect(due).toContainEqual(expect.objectContaining({ kind: "blob", key: `originals/${version.id}` }));
      const next = makeVersion(workspaceId, dataset.id);
      expect(await db.store.datasets.createVersion(next.dataset, next.job, replacement())).toBe("created");
    });

    it("is refused beside another, beside a job, and of what is not there", async () => {
      const { workspaceId, dataset } = await stored();
      const version = (of = dataset.id, isTarget = true) => {
        const { dataset: next, job } = makeVersion(workspaceId, of);
        return db.store.datasets.createVersion(next, job, replacement(makeEvent(), isTarget));
      };
      expect(await version(newDatasetId())).toBe("gone");
      const stranger = await stored();
      expect(await version(stranger.dataset.id)).toBe("gone");
      expect(await version(dataset.id, false)).toBe("gone");
      const vectorize = makeJob(dataset, "datasets/vectorize");
      expect(await db.store.jobs.createVectorize(vectorize)).toBe("created");
      expect(await version()).toBe("busy");
      await db.store.jobs.finish((await claimNext(db.store)).lease, { status: "SUCCESS", statusText: "" }, now);
      expect(await version()).toBe("created");
      expect(await version()).toBe("pending");
      expect(await db.store.jobs.createVectorize(makeJob(dataset, "datasets/vectorize"))).toBe("replaced");
      expect(await db.store.datasets.get(workspaceId, dataset.id, now + 90_000)).toBeUndefined();
    });

    it("of several at once one is accepted", async () => {
      const { workspaceId, dataset } = await stored();
      const others = await Promise.all([db.connect(), db.connect(), db.connect()]);
      const outcomes = await Promise.all(
        others.map((store) => {
          const { dataset: next, job } = makeVersion(workspaceId, dataset.id);
          return store.datasets.createVersion(next, job, replacement());
        }),
      );
      expect(outcomes.toSorted()).toEqual(["created", "pending", "pending"]);
    });

    it("goes with its dataset, deleted or expired", async () => {
      for (const how of ["deleted", "expired"] as const) {
        const { workspaceId, dataset } = await stored();
        const { dataset: version, job } = makeVersion(workspaceId, dataset.id);
        await db.store.datasets.createVersion(version, job, replacement());
        if (how === "deleted") await db.store.datasets.delete(workspaceId, dataset.id, now, makeEvent());
        else await db.store.datasets.deleteExpired(now + 90_000, 10);
        expect(await db.store.datasets.getUnscoped(version.id, now)).toBeUndefined();
        expect(await db.store.jobs.get(workspaceId, job.id)).toMatchObject({
          status: "ERROR",
          canceledAt: expect.any(Number),
        });
        expect(await db.store.usage.ofWorkspace(workspaceId)).toMatchObject({ documents: 0, pages: 0 });
      }
    });

    it("what is said of the dataset meanwhile stays said", async () => {
      const { workspaceId, dataset } = await stored();
      const version = makeVersion(workspaceId, dataset.id);
      await db.store.datasets.createVersion(version.dataset, version.job, replacement());
      const change = { metadata: { customer: 43 }, expiresAt: null };
      expect(await db.store.datasets.update(workspaceId, dataset.id, () => change, now)).toMatchObject({
        dataset: { id: dataset.id, ...change },
        pending: { id: version.dataset.id, metadata: change.metadata, expiresAt: null },
      });
      expect(await db.store.datasets.getUnscoped(version.dataset.id, now)).toMatchObject({ metadata: change.metadata });
      // Its job is seen by whom the dataset is seen now.
      const jobsOf = async (customer: number) => {
        const filter = { kind: "is", field: "customer", values: [customer] } as const;
        const query = {
          workspaceId,
          statuses: ["NOT_STARTED"],
          offset: 0,
          limit: 10,
          finishedSince: 0,
          filter,
        } as const;
        return (await db.store.jobs.list(query)).data.map(({ id }) => id);
      };
      expect(await jobsOf(42)).toEqual([]);
      expect(await jobsOf(43)).toEqual([version.job.id]);
      await work(await claimNext(db.store), version.dataset, 1);
      expect(await db.store.datasets.get(workspaceId, dataset.id, now)).toMatchObject(change);
      const filter = { kind: "is", field: "customer", values: [43] } as const;
      const { data } = await db.store.datasets.list({ ...everything(workspaceId), filter });
      expect(data.map(publicId)).toEqual([dataset.id]);
      // By the id of the dataset as by that of the version.
      const deleted = await db.store.datasets.delete(workspaceId, dataset.id, now, makeEvent());
      expect(deleted).toEqual({ freedBytes: 3000 });
      expect((await db.store.datasets.list(everything(workspaceId))).total).toBe(0);
    });

    it("is in the audit log when it is accepted, and when it serves", async () => {
      const { organisationId, workspaceId, dataset } = await stored();
      const events = async () =>
        (await db.store.audit.list({ organisationId, action: "", offset: 0, limit: 10 })).data.map(
          ({ actor, action, target, details }) => ({ actor, action, target, details }),
        );
      const { dataset: version, job } = makeVersion(workspaceId, dataset.id);
      const accepted = { action: "dataset.replace", target: dataset.id } as const;
      const event = makeEvent({ organisationId, actor: "key 1", ...accepted });
      expect(await db.store.datasets.createVersion(version, job, replacement(event))).toBe("created");
      const refused = makeVersion(workspaceId, dataset.id);
      expect(
        await db.store.datasets.createVersion(refused.dataset, refused.job, replacement(makeEvent({ organisationId }))),
      ).toBe("pending");
      const sent = { ...accepted, actor: "key 1", details: "" };
      expect(await events()).toEqual([sent]);
      await work(await claimNext(db.store), version, 1);
      const serves = { ...accepted, actor: "service", details: `job ${job.id} has put a new version in its place` };
      expect(await events()).toEqual([serves, sent]);
    });

    it("counts as stored beside the one before, and only where there is room", async () => {
      const { workspaceId, dataset } = await stored();
      const version = makeVersion(workspaceId, dataset.id);
      await db.store.datasets.createVersion(version.dataset, version.job, replacement());
      expect((await db.store.usage.ofWorkspace(workspaceId)).stored.originals).toBe(4000);
    });

    it("is fetched from an address", async () => {
      const { workspaceId, dataset } = await stored();
      const { dataset: version, job } = makeVersion(workspaceId, dataset.id, { sha256: "", fileSize: 0 });
      expect(await db.store.fetches.createVersion(version, job, "https://example.org/a.pdf", replacement())).toBe(
        "created",
      );
      const { lease } = await claimNext(db.store);
      await db.store.jobs.finish(lease, { status: "ERROR", statusText: "it cannot be fetched" }, now);
      expect(await db.store.fetches.get(version.id)).toBeUndefined();
      expect(await db.store.datasets.get(workspaceId, dataset.id, now)).toMatchObject({ id: dataset.id });
    });
  });
}
