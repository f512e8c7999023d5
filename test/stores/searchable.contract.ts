import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Dataset } from "../../server/domain/datasets/dataset.ts";
import { newDatasetId, type DatasetId, type WorkspaceId } from "../../server/domain/ids.ts";
import { newJob } from "../../server/domain/jobs/job.ts";
import type { DatasetSort } from "../../server/domain/ports/datasets.ts";
import type { ClaimedJob } from "../../server/domain/ports/jobs.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import type { StoredPage } from "../../server/domain/ports/pages.ts";
import type { MetadataFixture, OpenMetadataFixture } from "./testing/metadata.ts";
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
  removeRows,
} from "./testing/records.ts";

/** The contract of the stored flag whether a dataset is searchable: lists and their lengths must always be right. */
export function searchableContract(open: OpenMetadataFixture): void {
  describe("datasets that are searchable", () => {
    const now = morning + 1_000;
    const packOf = (id: string) => ({ id, model: id, manifest: "{}" });
    let fixture: MetadataFixture;
    let store: Metadata;
    let workspaceId: WorkspaceId;
    beforeEach(async () => {
      fixture = await open();
      store = await fixture.connect();
      ({ workspaceId } = await createTenant(store));
      await store.packs.use(packOf("old@1"), now);
    });
    afterEach(() => fixture.dispose());

    /** A new version of it whose job is at work and has embedded these pages. */
    async function readVersion(before: Dataset, pages: readonly number[]) {
      const version = makeDataset(workspaceId, { versionOf: before.id, createdAt: now });
      const job = newJob(workspaceId, version.id, "datasets/vectorize", now, { versionOf: before.id });
      const replacement = { event: makeEvent(), isTarget: undefined };
      const outcome = await store.datasets.createVersion(version, { ...job, revision: 0 }, replacement);
      const claim = await claimNext(store, "worker", now);
      await embed(claim, version, pages);
      return { outcome, version, claim };
    }

    async function listed(isSearchable: boolean, property: DatasetSort, types: readonly Dataset["type"][] = []) {
      const query = { workspaceId, types, sha256: [], isSearchable, now };
      const sort = [{ property, descending: true }];
      const ids: DatasetId[] = [];
      for (let offset = 0; ; offset += 2) {
        const { total, data } = await store.datasets.list({ ...query, sort, offset, limit: 2 });
        ids.push(...data.map(({ id }) => id));
        if (offset + 2 < total) continue;
        expect(ids).toHaveLength(total);
        return ids;
      }
    }

    /** By both ways to a page of the list: an index has one order, the other is sorted. */
    async function expectSearchable(...wanted: readonly DatasetId[]): Promise<void> {
      const all = await store.datasets.list({
        workspaceId,
        types: [],
        sha256: [],
        sort: [{ property: "createdAt", descending: true }],
        offset: 0,
        limit: 100,
        now,
      });
      const ids = all.data.map(({ id }) => id);
      const others = ids.filter((id) => !wanted.includes(id));
      const those = ids.filter((id) => wanted.includes(id));
      expect(await listed(true, "createdAt")).toEqual(those);
      expect(await listed(false, "createdAt")).toEqual(others);
      expect((await listed(true, "fileSize")).toSorted()).toEqual(those.toSorted());
      expect((await listed(false, "fileSize")).toSorted()).toEqual(others.toSorted());
      expect(await store.datasets.searchable(ids)).toEqual(new Set(wanted));
    }

    /** Embeds these pages of a document of three. */
    async function embed({ lease }: ClaimedJob, dataset: Dataset, pages: readonly number[]): Promise<void> {
      await store.indices.begin(lease, dataset, true, now);
      await store.pages.save(lease, dataset.id, [makePage(1), makePage(2), makePage(3)], now);
      await store.pages.markEmbedded(lease, dataset.id, pages, now);
    }

    const end = ({ lease }: ClaimedJob, status: "SUCCESS" | "ERROR" = "SUCCESS") =>
      store.jobs.finish(lease, { status, statusText: "" }, now);

    async function vectorized(fields: Partial<Dataset> = {}): Promise<Dataset> {
      const { dataset } = await createDataset(store, workspaceId, fields);
      const claim = await claimNext(store, "worker", now);
      await embed(claim, dataset, [1, 2]);
      await end(claim);
      return dataset;
    }

    it("are so from their first embedded page on, whatever becomes of the job", async () => {
      const { dataset } = await createDataset(store, workspaceId);
      await createDataset(store, workspaceId, { type: "image", createdAt: now + 1 });
      await expectSearchable();
      const claim = await claimNext(store, "worker", now);
      await store.indices.begin(claim.lease, dataset, true, now);
      await store.pages.save(claim.lease, dataset.id, [makePage(1), makePage(1_500)], now);
      await expectSearchable();
      await store.pages.markEmbedded(claim.lease, dataset.id, [1_500], now);
      await expectSearchable(dataset.id);
      expect(await listed(true, "createdAt", ["image"])).toEqual([]);
      expect(await listed(true, "fileName", ["doc"])).toEqual([dataset.id]);
      await end(claim, "ERROR");
      await expectSearchable(dataset.id);
    });

    it("are not when the last page could not be embedded again, or is forgotten", async () => {
      const dataset = await vectorized();
      const other = await vectorized({ createdAt: now + 1 });
      await expectSearchable(dataset.id, other.id);
      for (const { id } of [dataset, other]) {
        const again = id === dataset.id ? dataset : other;
        expect(await store.jobs.createVectorize(makeJob(again, "datasets/vectorize"))).toBe("created");
        const claim = await claimNext(store, "worker", now);
        if (id === dataset.id) {
          const failures = [1, 2].map((page) => ({ page, reason: "too dark" }));
          await store.pages.noteFailures(claim.lease, id, "embed", failures, now);
        } else {
          await store.pages.clearEmbedded(claim.lease, id);
        }
        await end(claim);
      }
      await expectSearchable();
    });

    it("are not counted once they are deleted or have expired", async () => {
      const [kept, deleted, expired] = [
        await vectorized(),
        await vectorized({ createdAt: now + 1 }),
        await vectorized({ createdAt: now + 2, expiresAt: now }),
      ];
      await createDataset(store, workspaceId, { expiresAt: now });
      await expectSearchable(kept.id, deleted.id);
      await store.datasets.delete(workspaceId, deleted.id, now, makeEvent());
      await expectSearchable(kept.id);
      await store.datasets.deleteExpired(now, 10);
      await removeRows(store, now + 60_000);
      await expectSearchable(kept.id);
      expect(await store.datasets.searchable([deleted.id, expired.id])).toEqual(new Set());
    });

    it.each([
      ["of which pages are embedded", [2], true],
      ["of which none is", [], false],
    ])("are as the version is that takes their place, %s", async (_what, pages, isSearchable) => {
      const before = await vectorized();
      const { outcome, version, claim } = await readVersion(before, pages);
      expect(outcome).toBe("created");
      // Nothing but its job sees it.
      await expectSearchable(before.id);
      await end(claim);
      await expectSearchable(...(isSearchable ? [version.id] : []));
    });

    it("stay so where a new version is given up", async () => {
      const before = await vectorized();
      const { outcome, claim } = await readVersion(before, [1]);
      expect(outcome).toBe("created");
      await store.jobs.cancel(workspaceId, claim.job.id, cancelled(), now);
      await expectSearchable(before.id);
    });

    it("are what another pack makes of them, from the moment in which it serves them", async () => {
      const dataset = await vectorized();
      const other = await vectorized({ createdAt: now + 1 });
      await store.packs.use(packOf("new@1"), now);
      const claimIndex = () => store.indices.claim("worker", leaseMs, now);
      const those = new Set([dataset.id, other.id]);
      for (let index = await claimIndex(); index; index = await claimIndex()) {
        const { lease } = index;
        const failure = lease.datasetId === other.id ? "too dark" : null;
        const marks = [1, 2].map((page) => ({ page, failure }));
        await store.indices.mark(lease, marks, now);
        await expectSearchable(...those);
        expect(await store.indices.complete(lease, now)).toBe("complete");
        if (failure !== null) those.delete(lease.datasetId);
        await expectSearchable(...those);
      }
      await expectSearchable(dataset.id);
      await store.indices.retireStale(now, 10);
      await expectSearchable(dataset.id);
    });

    it("are not when a repair finds that no page of them can be embedded", async () => {
      const dataset = await vectorized();
      await store.indices.rebuild([dataset.id], "all");
      const index = await store.indices.claimRebuild("worker", leaseMs);
      if (index === undefined) throw new Error("there is nothing to make again");
      await store.indices.markRebuilt(index.lease, [{ page: 1, failure: null }]);
      await expectSearchable(dataset.id);
      const failed = [1, 2].map((page) => ({ page, failure: "too dark" }));
      expect(await store.indices.markRebuilt(index.lease, failed)).toBe(true);
      await store.indices.rebuilt(index.lease);
      await expectSearchable();
    });

    it("are so when they come with their pages and their index from another server", async () => {
      const dataset = makeDataset(workspaceId);
      const page: StoredPage = {
        ...makePage(1),
        embedFailure: null,
        renderFailure: null,
        createdAt: now,
        embeddedAt: now,
        absentFrom: [],
      };
      const index = { pack: "old@1", generation: "g1", parts: [] };
      for (const each of [dataset, { ...dataset, id: newDatasetId() }]) {
        await store.imports.putPages(each.id, [page]);
        const job = makeJob(each, "datasets/vectorize", { status: "SUCCESS", finishedAt: now });
        const imported = { dataset: each, job, pages: 1, index: each === dataset ? index : undefined };
        expect(await store.imports.complete(imported)).toBe("imported");
      }
      await expectSearchable(dataset.id);
    });
  });
}
