import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Dataset } from "../../server/domain/datasets/dataset.ts";
import type { WorkspaceId } from "../../server/domain/ids.ts";
import type { NewPart } from "../../server/domain/ports/features.ts";
import type { Lease } from "../../server/domain/ports/jobs.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import type { IndexRef } from "../../server/domain/ports/packs.ts";
import { type MetadataFixture, type OpenMetadataFixture, storeClock } from "./testing/metadata.ts";
import {
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

const now = morning + 1000;
const pack = { id: "one@1.0.0", model: "one", manifest: "{}" };

/** The list of the objects that hold what packs have computed of pages. */
export function featuresContract(open: OpenMetadataFixture): void {
  describe("features", () => {
    let fixture: MetadataFixture;
    let store: Metadata;
    let workspaceId: WorkspaceId;
    let dataset: Dataset;
    let lease: Lease;
    let index: IndexRef;
    let table: string;
    beforeAll(async () => {
      fixture = await open();
      store = await fixture.connect();
      await store.packs.use(pack, now);
    });
    afterAll(() => fixture.dispose());
    beforeEach(async () => {
      storeClock.now = now;
      ({ workspaceId } = await createTenant(store));
      ({ dataset } = await createDataset(store, workspaceId, { itemCount: 9 }));
      ({ lease } = await claimNext(store, "jobs", now));
      const pages = Array.from({ length: 9 }, (_, at) => makePage(at + 1));
      await store.pages.save(lease, dataset.id, pages, now);
      index = await begin();
      table = `table of ${workspaceId}`;
      await store.indexTables.add({ workspaceId, pack: pack.id, name: table, unsyncedIn: "", version: 0 });
    });

    async function begin(): Promise<IndexRef> {
      const begun = await store.indices.begin(lease, dataset, true, now);
      if (begun === undefined) throw new Error("the lease is lost");
      return begun;
    }

    const indexOf = ({ generation }: IndexRef) => ({ datasetId: dataset.id, generation });
    const keyOf = (name: string): string => `features/${dataset.id}/${index.generation}/${name}.arrow`;
    const partOf = (name: string, pages: readonly number[]): NewPart => ({
      key: keyOf(name),
      generation: index.generation,
      pages,
      bytes: 3_000_000_000,
      sha256: "ab".repeat(32),
      table,
    });

    /** As whoever stores a part does. */
    async function list(part: NewPart): Promise<boolean> {
      await store.garbage.add([{ kind: "blob", key: part.key }], now + 1000, lease);
      return store.pages.markEmbedded(lease, dataset.id, part.pages, now, { part });
    }

    const garbage = async (): Promise<readonly string[]> =>
      (await store.garbage.due(now + 3_600_000, 1000)).flatMap((one) =>
        one.kind === "blob" || one.key === dataset.id ? [one.kind === "blob" ? one.key : one.kind] : [],
      );

    it("are listed in order, by the transaction that marks their pages, and are no garbage then", async () => {
      expect(await list(partOf("one", [1, 2, 3, 7]))).toBe(true);
      expect(await list(partOf("two", [3, 4]))).toBe(true);
      const { generation: _one, ...one } = partOf("one", [1, 2, 3, 7]);
      const { generation: _two, ...two } = partOf("two", [3, 4]);
      expect(await store.features.parts(indexOf(index))).toEqual([one, two]);
      expect((await store.pages.embedded(dataset.id)).map(({ page }) => page)).toEqual([1, 2, 3, 4, 7]);
      expect(await garbage()).not.toContain(keyOf("one"));
      expect(await store.garbage.ownerless([keyOf("one"), keyOf("three")])).toEqual([keyOf("three")]);
    });

    it("are not listed under a lease that is lost, and stay garbage", async () => {
      await store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);
      expect(await list(partOf("late", [1]))).toBe(false);
      expect(await store.features.parts(indexOf(index))).toEqual([]);
      expect(await garbage()).toContain(keyOf("late"));
    });

    it("go with their index, and with their dataset", async () => {
      await list(partOf("one", [1, 2]));
      const before = index;
      index = await begin();
      expect(await store.features.parts(indexOf(before))).toEqual([]);
      expect(await garbage()).toContain("vectors");
      await list(partOf("two", [1, 2]));
      await store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);
      await store.datasets.delete(workspaceId, dataset.id, now, makeEvent());
      while (!(await store.garbage.removeRows({ kind: "rows", key: dataset.id }, now)));
      expect(await store.features.parts(indexOf(index))).toEqual([]);
      expect(await store.garbage.ownerless([keyOf("two")])).toEqual([keyOf("two")]);
    });

    /** Claims a change of this dataset, and skips those of other tests. */
    async function claimChange() {
      for (;;) {
        const claimed = await store.indices.claim("worker", leaseMs, now);
        if (claimed === undefined) throw new Error("the dataset does not change");
        if (claimed.lease.datasetId === dataset.id) return claimed;
      }
    }

    it("can be taken off the list, and are garbage then", async () => {
      await list(partOf("one", [1, 2]));
      await list(partOf("two", [3]));
      await store.features.remove(indexOf(index), [keyOf("one")], now);
      expect((await store.features.parts(indexOf(index))).map(({ key }) => key)).toEqual([keyOf("two")]);
      expect(await garbage()).toContain(keyOf("one"));
    });

    it("come with a dataset from another server, of which the index is to be made", async () => {
      const imported = makeDataset(workspaceId, { itemCount: 2 });
      const parts = ["first", "second"].map((name, at) => {
        const { generation: _, ...part } = partOf(`imported-${name}`, [at + 1]);
        return part;
      });
      await store.garbage.add(
        parts.map(({ key }) => ({ kind: "blob", key })),
        now + 1000,
      );
      const pages = [1, 2].map((page) => ({
        ...makePage(page),
        embedFailure: null,
        renderFailure: null,
        createdAt: now,
        embeddedAt: now,
        absentFrom: [],
      }));
      await store.imports.putPages(imported.id, pages);
      const job = makeJob(imported, "datasets/vectorize", { status: "SUCCESS", finishedAt: now });
      const served = { pack: pack.id, generation: "0123456789ab" };
      const outcome = await store.imports.complete({ dataset: imported, job, pages: 2, index: { ...served, parts } });
      expect(outcome).toBe("imported");
      // Workers put their rows into a table.
      const listed = parts.map((part) => ({ ...part, table: "" }));
      expect(await store.features.parts({ datasetId: imported.id, ...served })).toEqual(listed);
      const keys = parts.map(({ key }) => key);
      expect((await garbage()).filter((key) => keys.includes(key))).toEqual([]);
      expect(await store.garbage.ownerless(keys)).toEqual([]);
      expect(await store.indices.incomplete({ workspaceId, datasetIds: undefined }, 10)).toEqual([imported.id]);
      const rebuild = await store.indices.claimRebuild("worker", leaseMs);
      expect(rebuild).toMatchObject({ ...served, how: "missing", lease: { datasetId: imported.id } });
      if (rebuild !== undefined) await store.indices.rebuilt(rebuild.lease);
    });

    it("are kept of an index that is being made, and of pages that are embedded again", async () => {
      const marks = [1, 2].map((page) => ({ page, failure: null }));
      await list(partOf("one", [1, 2]));
      await store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);
      await store.indices.rebuild([dataset.id], "all");
      const rebuild = await store.indices.claimRebuild("worker", leaseMs);
      if (rebuild === undefined) throw new Error("there is nothing to rebuild");
      expect(await store.indices.markRebuilt(rebuild.lease, marks, partOf("again", [1, 2]))).toBe(true);
      await store.indices.rebuilt(rebuild.lease);
      expect((await store.features.parts(indexOf(index))).map(({ key }) => key)).toEqual([
        keyOf("one"),
        keyOf("again"),
      ]);
      await store.packs.use({ ...pack, id: "two@1.0.0" }, now);
      try {
        const making = await claimChange();
        const part = { ...partOf("new", [1, 2]), generation: making.generation };
        expect(await store.indices.mark(making.lease, marks, now, part)).toBe(true);
        expect((await store.features.parts(indexOf(making))).map(({ key }) => key)).toEqual([keyOf("new")]);
        expect(await store.indices.complete(making.lease, now)).toBe("complete");
        await store.indices.retireStale(now, 100);
        expect(await store.features.parts(indexOf(index))).toEqual([]);
        expect(await store.features.parts(indexOf(making))).toHaveLength(1);
      } finally {
        await store.packs.use(pack, now);
      }
    });
  });
}
