import { describe, expect, it } from "vitest";
import { originalKey, type Dataset } from "../../server/domain/datasets/dataset.ts";
import { newDatasetId, newJobId } from "../../server/domain/ids.ts";
import type { Garbage } from "../../server/domain/ports/garbage.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { useMetadata, type OpenMetadataFixture } from "./testing/metadata.ts";
import {
  cancelled,
  claimAt,
  claimNext,
  createDataset,
  createTenant,
  leaseMs,
  makeDataset,
  makeJob,
  makeEvent,
  makePage,
  morning,
  removeRows,
} from "./testing/records.ts";
import { claimOf } from "./testing/usage-records.ts";

/** Datasets: who sees them, for how long, and what is removed with them. */
export function datasetsContract(open: OpenMetadataFixture): void {
  describe("datasets", () => {
    const db = useMetadata(open);
    const now = morning + 1000;

    it("hides a dataset from other workspaces, and from its own once it has expired", async () => {
      const { workspaceId } = await createTenant(db.store);
      const stranger = await createTenant(db.store);
      const { datasets } = db.store;
      const { dataset } = await createDataset(db.store, workspaceId, { expiresAt: now + 10 });
      expect(await datasets.get(workspaceId, dataset.id, now)).toEqual(dataset);
      expect(await datasets.getUnscoped(dataset.id, now)).toEqual(dataset);
      expect(await datasets.getMany(workspaceId, [dataset.id, newDatasetId()], now)).toEqual([dataset]);
      expect(await datasets.get(stranger.workspaceId, dataset.id, now)).toBeUndefined();
      expect(await datasets.getMany(stranger.workspaceId, [dataset.id], now)).toEqual([]);
      expect(await datasets.delete(stranger.workspaceId, dataset.id, now, makeEvent())).toBeUndefined();
      const query = { workspaceId, types: [], sha256: [], sort: [], offset: 0, limit: 10 };
      expect((await datasets.list({ ...query, now })).total).toBe(1);
      expect(await datasets.get(workspaceId, dataset.id, now + 10)).toBeUndefined();
      expect(await datasets.getUnscoped(dataset.id, now + 10)).toBeUndefined();
      expect(await datasets.getMany(workspaceId, [dataset.id], now + 10)).toEqual([]);
      expect(await datasets.list({ ...query, now: now + 10 })).toEqual({ total: 0, data: [] });
    });

    it("sorts with nulls last and ties by id in the first key's direction, and pages without gaps", async () => {
      const { workspaceId } = await createTenant(db.store);
      const made: Dataset[] = [];
      for (const [fileName, expiresAt] of [
        ["b", null],
        ["a", now + 5000],
        ["b", now + 4000],
        ["a", null],
      ] as const) {
        made.push((await createDataset(db.store, workspaceId, { fileName, expiresAt })).dataset);
      }
      const byId = made.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      const list = async (property: "fileName" | "expiresAt", descending: boolean) => {
        const query = {
          workspaceId,
          types: ["doc"] as const,
          sha256: [],
          sort: [{ property, descending }],
          limit: 3,
          now,
        };
        const first = await db.store.datasets.list({ ...query, offset: 0 });
        const rest = await db.store.datasets.list({ ...query, offset: 3 });
        expect([first.total, rest.total]).toEqual([4, 4]);
        return [...first.data, ...rest.data].map(({ id }) => id);
      };
      const pick = (rows: Dataset[], wanted: (row: Dataset) => boolean) => rows.filter(wanted).map(({ id }) => id);
      expect(await list("fileName", false)).toEqual([
        ...pick(byId, ({ fileName }) => fileName === "a"),
        ...pick(byId, ({ fileName }) => fileName === "b"),
      ]);
      const down = byId.toReversed();
      expect(await list("fileName", true)).toEqual([
        ...pick(down, ({ fileName }) => fileName === "b"),
        ...pick(down, ({ fileName }) => fileName === "a"),
      ]);
      expect(await list("expiresAt", true)).toEqual([
        made[1]?.id,
        made[2]?.id,
        ...pick(down, ({ expiresAt }) => expiresAt === null),
      ]);
      expect(await list("expiresAt", false)).toEqual([
        made[2]?.id,
        made[1]?.id,
        ...pick(byId, ({ expiresAt }) => expiresAt === null),
      ]);
      const images = { workspaceId, types: ["image"] as const, sha256: [], sort: [], offset: 0, limit: 10, now };
      expect((await db.store.datasets.list(images)).total).toBe(0);
    });

    it("takes a dataset's original off the garbage list when it is created", async () => {
      const { workspaceId } = await createTenant(db.store);
      const dataset = makeDataset(workspaceId);
      const key = originalKey(dataset);
      await db.store.garbage.add([{ kind: "blob", key }], 0);
      await db.store.datasets.create(dataset, makeJob(dataset));
      expect(await db.store.garbage.due(now, 100)).not.toContainEqual({ kind: "blob", key });
    });

    it("leaves neither dataset nor job when the creation fails", async () => {
      const { workspaceId } = await createTenant(db.store);
      const { job } = await createDataset(db.store, workspaceId);
      const dataset = makeDataset(workspaceId);
      await expect(db.store.datasets.create(dataset, { ...makeJob(dataset), id: job.id })).rejects.toThrow(
        /constraint/i,
      );
      expect(await db.store.datasets.get(workspaceId, dataset.id, now)).toBeUndefined();
    });

    it("deletes pages, ends jobs, counts what is freed and hands the rest to the garbage", async () => {
      const { workspaceId } = await createTenant(db.store);
      const { dataset, job } = await createDataset(db.store, workspaceId, { fileSize: 5000 });
      const { store } = db;
      let claimed = await claimNext(store, "w", now);
      while (claimed.job.id !== job.id) claimed = await claimNext(store, "w", now);
      const pages = [makePage(1), makePage(2), makePage(3, { failure: "broken stream" })];
      await store.pages.save(claimed.lease, dataset.id, pages, now);
      await store.renditions.put(`renditions/${dataset.id}/1.jpg`, dataset.id, 300, now);
      const total = await store.renditions.totalBytes();
      expect(await store.datasets.delete(workspaceId, dataset.id, now, makeEvent())).toEqual({ freedBytes: 5000 });
      expect(await store.datasets.delete(workspaceId, dataset.id, now, makeEvent())).toBeUndefined();
      expect(await store.datasets.get(workspaceId, dataset.id, now)).toBeUndefined();
      expect(await store.pages.finished(dataset.id)).toEqual([]);
      expect((await store.pages.words(dataset.id, [1, 2])).size).toBe(0);
      expect((await store.pages.failures([dataset.id])).size).toBe(0);
      expect(await store.pages.getItem(dataset.id, 1, "pdf")).toBeUndefined();
      expect(await store.pages.getItems([{ datasetId: dataset.id, page: 1 }], "pdf")).toEqual([]);
      const items = { datasetId: dataset.id, row: undefined, ranges: undefined, sort: [], offset: 0, limit: 10 };
      expect(await store.pages.listItems(items)).toEqual({ total: 0, data: [] });
      expect(await store.renditions.totalBytes()).toBe(total);
      await removeRows(store, now);
      expect(await store.renditions.totalBytes()).toBe(total - 300);
      expect(await store.jobs.get(workspaceId, job.id)).toMatchObject({
        status: "ERROR",
        canceledAt: now,
        finishedAt: now,
      });
      expect(await store.pages.save(claimed.lease, dataset.id, [makePage(3)], now)).toBe(false);
      expect(await store.jobs.renew(claimed.lease, leaseMs)).toBe(false);
      const left: Garbage[] = [
        { kind: "renditions", key: dataset.id },
        { kind: "vectors", key: dataset.id },
      ];
      // The worker whose job this was may write until it notices.
      expect(await store.garbage.due(now, 1000)).not.toEqual(expect.arrayContaining(left));
      expect(await store.garbage.due(now + 10_000, 1000)).toEqual(expect.arrayContaining(left));
    });

    it("enters the event of a deletion with it, and of none that finds nothing", async () => {
      const { store } = db;
      const { organisationId, workspaceId } = await createTenant(store);
      const stranger = await createTenant(store);
      const { dataset } = await createDataset(store, workspaceId);
      const event = makeEvent({ organisationId });
      expect(await store.datasets.delete(stranger.workspaceId, dataset.id, now, event)).toBeUndefined();
      expect(await store.datasets.delete(workspaceId, dataset.id, now, event)).toEqual({ freedBytes: 1000 });
      const { dataset: kept } = await createDataset(store, workspaceId);
      await expect(store.datasets.delete(workspaceId, kept.id, now, event)).rejects.toThrow(/constraint/i);
      expect(await store.datasets.get(workspaceId, kept.id, now)).toEqual(kept);
      const { data } = await store.audit.list({ organisationId, offset: 0, limit: 10, action: "" });
      expect(data).toEqual([event]);
    });

    it("removes datasets that have expired, with their jobs, and says so in the log", async () => {
      const { organisationId, workspaceId } = await createTenant(db.store);
      const { dataset, job } = await createDataset(db.store, workspaceId, { expiresAt: now });
      const { dataset: later } = await createDataset(db.store, workspaceId, { expiresAt: now + 1 });
      const { dataset: forever } = await createDataset(db.store, workspaceId);
      expect(await db.store.datasets.deleteExpired(now - 1, 100)).toBe(0);
      expect(await db.store.datasets.deleteExpired(now, 100)).toBe(1);
      expect(await db.store.datasets.deleteExpired(now, 100)).toBe(0);
      expect(await db.store.garbage.due(now, 1000)).toContainEqual({ kind: "blob", key: originalKey(dataset) });
      expect(await db.store.jobs.get(workspaceId, job.id)).toMatchObject({ status: "ERROR", canceledAt: now });
      const ids = [dataset.id, later.id, forever.id];
      const left = await db.store.datasets.getMany(workspaceId, ids, now - 1);
      expect(left.map(({ id }) => id).toSorted()).toEqual([later.id, forever.id].toSorted());
      const log = await db.store.audit.list({ organisationId, action: "dataset.", offset: 0, limit: 10 });
      expect(log.data).toMatchObject([{ actor: "service", action: "dataset.delete", target: dataset.id }]);
    });

    it("makes a document without a claim due at once, and what workers may still be making of it soon", async () => {
      const { workspaceId } = await createTenant(db.store);
      const { dataset } = await createDataset(db.store, workspaceId);
      await db.store.datasets.delete(workspaceId, dataset.id, now, makeEvent());
      const due = await db.store.garbage.due(now, 1000);
      expect(due).toContainEqual({ kind: "blob", key: originalKey(dataset) });
      const later: Garbage[] = [
        { kind: "renditions", key: dataset.id },
        { kind: "vectors", key: dataset.id },
      ];
      for (const garbage of later) expect(due).not.toContainEqual(garbage);
      expect(await db.store.garbage.due(now + 10_000, 1000)).toEqual(expect.arrayContaining(later));
    });

    it("keeps the number of pages", async () => {
      const { workspaceId } = await createTenant(db.store);
      const { dataset } = await createDataset(db.store, workspaceId);
      const { lease } = await claimOf(db.store, dataset.id);
      expect(await db.store.datasets.setItemCount(lease, dataset.id, 352, now)).toBe(true);
      const stored = await db.store.datasets.get(workspaceId, dataset.id, now);
      expect(stored).toEqual({ ...dataset, itemCount: 352, updatedAt: now });
    });

    it("keeps what the file says of the document, for the claim that holds it", async () => {
      const { workspaceId } = await createTenant(db.store);
      const { dataset } = await createDataset(db.store, workspaceId);
      expect(dataset).toMatchObject({ title: null, author: null });
      const { lease } = await claimOf(db.store, dataset.id);
      const properties = { title: "Otters – ein Überblick", author: null };
      expect(await db.store.datasets.setProperties(lease, dataset.id, properties)).toBe(true);
      const lost = { ...lease, token: "another" };
      expect(await db.store.datasets.setProperties(lost, dataset.id, { title: "Lynxes", author: null })).toBe(false);
      expect(await db.store.datasets.get(workspaceId, dataset.id, now)).toEqual({ ...dataset, ...properties });
    });

    it("keeps what the pages of a document do not show, for the claim that holds it, until it is converted anew", async () => {
      const { workspaceId } = await createTenant(db.store);
      const { dataset, job } = await createDataset(db.store, workspaceId);
      const { dataset: other } = await createDataset(db.store, workspaceId);
      const { datasets } = db.store;
      const known = async () => Object.fromEntries(await datasets.warnings([dataset.id, other.id, newDatasetId()]));
      expect(await known()).toEqual({});
      const { lease } = await claimOf(db.store, dataset.id);
      const warnings = [{ code: "formula", message: "‘E = mc²’ is not shown", page: 3 } as const];
      expect(await datasets.setWarnings(lease, dataset.id, warnings)).toBe(true);
      expect(await datasets.setWarnings({ ...lease, token: "another" }, dataset.id, [])).toBe(false);
      expect(await datasets.get(workspaceId, dataset.id, now)).toEqual({ ...dataset, warnings });
      expect(await known()).toEqual({ [dataset.id]: warnings });
      await db.store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);
      expect(await db.store.jobs.reconvert(dataset.id, now)).toBe(true);
      expect(await known()).toEqual({});
      expect(await db.store.jobs.get(workspaceId, job.id)).toMatchObject({ status: "NOT_STARTED" });
    });

    it("creates one vectorize job per dataset, until it has failed", async () => {
      const { workspaceId } = await createTenant(db.store);
      const { dataset } = await createDataset(db.store, workspaceId);
      const { jobs } = db.store;
      const vectorize = () => makeJob(dataset, "datasets/vectorize", { id: newJobId(), createdAt: now });
      const first = vectorize();
      expect(await jobs.createVectorize(first)).toBe("created");
      expect(await jobs.createVectorize(vectorize())).toBe("running");
      await jobs.cancel(workspaceId, first.id, cancelled(), now);
      const second = vectorize();
      expect(await jobs.createVectorize(second)).toBe("created");
      await finishAll(db.store, now);
      expect(await jobs.createVectorize(vectorize())).toBe("done");
      const foreign = { ...vectorize(), workspaceId: (await createTenant(db.store)).workspaceId };
      expect(await jobs.createVectorize(foreign)).toBe("gone");
      await db.store.datasets.delete(workspaceId, dataset.id, now, makeEvent());
      expect(await jobs.createVectorize(vectorize())).toBe("gone");
    });
  });
}

async function finishAll(store: Metadata, now: number): Promise<void> {
  for (let claimed = await claimAt(store, "w", now); claimed !== undefined;) {
    await store.jobs.finish(claimed.lease, { status: "SUCCESS", statusText: "" }, now);
    claimed = await claimAt(store, "w", now);
  }
}
