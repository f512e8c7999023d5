import { describe, expect, it } from "vitest";
import { newDatasetId, type WorkspaceId } from "../../server/domain/ids.ts";
import { newJob } from "../../server/domain/jobs/job.ts";
import type { Dataset } from "../../server/domain/datasets/dataset.ts";
import type { PageKey } from "../../server/domain/ports/vectors.ts";
import { type OpenMetadataFixture, useMetadata } from "./testing/metadata.ts";
import {
  claimNext,
  createDataset,
  createTenant,
  makeDataset,
  makeEvent,
  makePage,
  morning,
} from "./testing/records.ts";

/** Which pages that the index knows a search may give out. */
export function foundPagesContract(open: OpenMetadataFixture): void {
  describe("pages that were found", () => {
    const db = useMetadata(open);
    const now = morning + 1000;

    /** A dataset of three pages: one that cannot be read, one that is embedded and one that is not. */
    async function indexed(workspaceId: WorkspaceId, fields: Partial<Dataset> = {}) {
      await db.store.packs.use({ id: "p@1.0.0", model: "p", manifest: "{}" }, now);
      const { dataset } = await createDataset(db.store, workspaceId, fields);
      const { generation } = await embed(dataset);
      return { dataset, pages: [1, 2, 3].map((page): PageKey => ({ datasetId: dataset.id, page, generation })) };
    }

    async function embed(dataset: Dataset) {
      const { lease } = await claimNext(db.store, "w", now);
      const index = await db.store.indices.begin(lease, dataset, true, now);
      if (index === undefined) throw new Error("the dataset has no index");
      await db.store.datasets.setItemCount(lease, dataset.id, 3, now);
      const pages = [makePage(1, { failure: "broken" }), makePage(2), makePage(3)];
      await db.store.pages.save(lease, dataset.id, pages, now);
      await db.store.pages.markEmbedded(lease, dataset.id, [2], now + 5);
      expect(await db.store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now + 6)).toBe(true);
      return index;
    }

    const found = async (workspaceId: WorkspaceId, pages: readonly PageKey[], at = now) =>
      (await db.store.pages.found(workspaceId, pages, at)).map(({ datasetId, page }) => ({ datasetId, page }));

    it("are embedded, and come with what their document is", async () => {
      const { workspaceId } = await createTenant(db.store);
      const one = await indexed(workspaceId, { metadata: { customer: 42, tags: ["a", "b"] }, fileName: "one.pdf" });
      const other = await indexed(workspaceId);
      const all = [...one.pages, ...other.pages, ...one.pages.map((key) => ({ ...key, page: key.page + 90 }))];
      const records = await db.store.pages.found(workspaceId, all, now);
      expect(new Set(records)).toEqual(
        new Set([
          {
            ...one.pages[1],
            embeddedAt: now + 5,
            dataset: {
              id: one.dataset.id,
              versionOf: null,
              fileName: "one.pdf",
              itemCount: 3,
              metadata: { customer: 42, tags: ["a", "b"] },
            },
          },
          {
            ...other.pages[1],
            embeddedAt: now + 5,
            dataset: { id: other.dataset.id, versionOf: null, fileName: "report.pdf", itemCount: 3, metadata: {} },
          },
        ]),
      );
      expect(await db.store.pages.found(workspaceId, [], now)).toEqual([]);
    });

    it("are of an index that there is", async () => {
      const { workspaceId } = await createTenant(db.store);
      const { pages } = await indexed(workspaceId);
      const strays = pages.map((page) => ({ ...page, generation: "gone" }));
      const unknown = { datasetId: newDatasetId(), page: 2, generation: "gone" };
      expect(await found(workspaceId, [...strays, unknown])).toEqual([]);
      expect(await found(workspaceId, [...strays, ...pages])).toHaveLength(1);
    });

    it("are of the workspace, and of datasets that have not expired", async () => {
      const { workspaceId } = await createTenant(db.store);
      const { pages } = await indexed(workspaceId, { expiresAt: now + 100 });
      expect(await found((await createTenant(db.store)).workspaceId, pages)).toEqual([]);
      expect(await found(workspaceId, pages, now + 99)).toHaveLength(1);
      expect(await found(workspaceId, pages, now + 100)).toEqual([]);
    });

    it("are not of a dataset that was deleted", async () => {
      const { workspaceId } = await createTenant(db.store);
      const { dataset, pages } = await indexed(workspaceId);
      expect(await found(workspaceId, pages)).toHaveLength(1);
      await db.store.datasets.delete(workspaceId, dataset.id, now, makeEvent());
      expect(await found(workspaceId, pages)).toEqual([]);
    });

    it("are of a new version once it has taken the place of the one before", async () => {
      const { workspaceId } = await createTenant(db.store);
      const before = await indexed(workspaceId);
      const version = makeDataset(workspaceId, { versionOf: before.dataset.id, fileName: "two.pdf", createdAt: now });
      const job = {
        ...newJob(workspaceId, version.id, "datasets/extract", now, { versionOf: version.versionOf }),
        revision: 0,
      };
      await db.store.datasets.createVersion(version, job, { event: makeEvent(), isTarget: undefined });
      const { lease } = await claimNext(db.store, "w", now);
      const index = await db.store.indices.begin(lease, version, true, now);
      await db.store.pages.save(lease, version.id, [makePage(2)], now);
      await db.store.pages.markEmbedded(lease, version.id, [2], now);
      const page = { datasetId: version.id, page: 2, generation: index?.generation ?? "" };
      expect(await found(workspaceId, [...before.pages, page])).toEqual([{ datasetId: before.dataset.id, page: 2 }]);
      expect(await db.store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now)).toBe(true);
      expect(await db.store.pages.found(workspaceId, [...before.pages, page], now)).toMatchObject([
        { ...page, dataset: { id: version.id, versionOf: before.dataset.id, fileName: "two.pdf" } },
      ]);
    });
  });
}
