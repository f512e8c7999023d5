import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Dataset } from "../../server/domain/datasets/dataset.ts";
import type { WorkspaceId } from "../../server/domain/ids.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import type { DatasetChange } from "../../server/domain/ports/datasets.ts";
import { type MetadataFixture, type OpenMetadataFixture, storeClock } from "./testing/metadata.ts";
import { claimNext, createDataset, createTenant, leaseMs, makePage, morning } from "./testing/records.ts";

const now = morning + 1000;
const pack = { id: "one@1.0.0", model: "one", manifest: "{}" };

/** The contract that documents are found by their new metadata even if the process that changed it ends. */
export function renewalsContract(open: OpenMetadataFixture): void {
  describe("what is said of datasets", () => {
    let fixture: MetadataFixture;
    let store: Metadata;
    let workspaceId: WorkspaceId;
    let dataset: Dataset;
    beforeAll(async () => {
      fixture = await open();
      store = await fixture.connect();
      await store.packs.use(pack, now);
    });
    afterAll(() => fixture.dispose());
    beforeEach(async () => {
      storeClock.now = now;
      ({ workspaceId } = await createTenant(store));
      ({ dataset } = await createDataset(store, workspaceId, { itemCount: 1 }));
      const { lease } = await claimNext(store, "jobs", now);
      await store.pages.save(lease, dataset.id, [makePage(1)], now);
      await store.indices.begin(lease, dataset, true, now);
      await store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);
    });

    async function change(said: DatasetChange) {
      const changed = await store.datasets.update(workspaceId, dataset.id, () => said, now);
      if (changed === undefined) throw new Error("the dataset is gone");
      return changed.renewals;
    }

    it("is renewed in the index by its changer, and by a worker once that has not for some seconds", async () => {
      const [renewal] = await change({ fileName: "renamed.pdf" });
      expect(renewal).toMatchObject({ datasetId: dataset.id, pack: pack.id });
      expect(await store.indices.hasRenewals()).toBe(true);
      expect(await store.indices.claimRebuild("worker", leaseMs)).toBeUndefined();
      storeClock.now += 10_000;
      const claimed = await store.indices.claimRebuild("worker", leaseMs);
      expect(claimed).toMatchObject({ how: "said", lease: { datasetId: dataset.id } });
      if (renewal === undefined || claimed === undefined) throw new Error("there is nothing to renew");
      expect(await store.indices.rebuilt(renewal)).toBe(false);
      expect(await store.indices.rebuilt(claimed.lease)).toBe(true);
      expect(await store.indices.hasRenewals()).toBe(false);
    });

    it("is not renewed where nothing has changed of it", async () => {
      expect(await change({ fileName: dataset.fileName, metadata: dataset.metadata, expiresAt: null })).toEqual([]);
      expect(await store.indices.hasRenewals()).toBe(false);
    });

    it("is left to the change that was last", async () => {
      const [first] = await change({ fileName: "one.pdf" });
      const [second] = await change({ metadata: { customer: 7 } });
      if (first === undefined || second === undefined) throw new Error("there is nothing to renew");
      expect(await store.indices.rebuilt(first)).toBe(false);
      expect(await store.indices.hasRenewals()).toBe(true);
      expect(await store.indices.rebuilt(second)).toBe(true);
      expect(await store.indices.hasRenewals()).toBe(false);
    });

    it("is still to be renewed where the dataset has come to be served from another pack", async () => {
      await change({ fileName: "one.pdf" });
      await store.packs.use({ ...pack, id: "two@1.0.0" }, now);
      try {
        for (;;) {
          const making = await store.indices.claim("worker", leaseMs, now);
          if (making === undefined) throw new Error("the dataset does not change");
          const { lease } = making;
          expect(await store.indices.mark(lease, [{ page: 1, failure: null }], now)).toBe(true);
          expect(await store.indices.complete(lease, now)).toBe("complete");
          if (lease.datasetId === dataset.id) break;
        }
        await store.indices.retireStale(now, 100);
        const claimed = await store.indices.claimRebuild("worker", leaseMs);
        expect(claimed).toMatchObject({ how: "said", lease: { datasetId: dataset.id, pack: "two@1.0.0" } });
        if (claimed !== undefined) await store.indices.rebuilt(claimed.lease);
        expect(await store.indices.hasRenewals()).toBe(false);
      } finally {
        await store.packs.use(pack, now);
      }
    });

    it("does not end a loss of rows that is found while it is renewed", async () => {
      await change({ fileName: "one.pdf" });
      storeClock.now += 10_000;
      const claimed = await store.indices.claimRebuild("worker", leaseMs);
      if (claimed === undefined) throw new Error("there is nothing to renew");
      await store.indices.rebuild([dataset.id], "missing");
      expect(await store.indices.rebuilt(claimed.lease)).toBe(false);
      const again = await store.indices.claimRebuild("worker", leaseMs);
      expect(again).toMatchObject({ how: "missing", lease: { datasetId: dataset.id } });
      if (again !== undefined) expect(await store.indices.rebuilt(again.lease)).toBe(true);
    });

    it("is no loss of rows: searches are complete, and rows that are lost come first", async () => {
      const scope = { workspaceId, datasetIds: undefined };
      await change({ fileName: "one.pdf" });
      expect(await store.indices.incomplete(scope, 10)).toEqual([]);
      expect(await store.indices.countRebuilds()).toBe(0);
      await store.indices.rebuild([dataset.id], "missing");
      expect(await change({ fileName: "two.pdf" })).toEqual([]);
      expect(await store.indices.incomplete(scope, 10)).toEqual([dataset.id]);
      expect(await store.indices.countRebuilds()).toBe(1);
      storeClock.now += 10_000;
      const claimed = await store.indices.claimRebuild("worker", leaseMs);
      expect(claimed).toMatchObject({ how: "missing" });
      if (claimed !== undefined) await store.indices.rebuilt(claimed.lease);
    });
  });
}
