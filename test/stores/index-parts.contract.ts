import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Dataset } from "../../server/domain/datasets/dataset.ts";
import type { WorkspaceId } from "../../server/domain/ids.ts";
import type { FeaturesOf, NewPart } from "../../server/domain/ports/features.ts";
import type { Garbage } from "../../server/domain/ports/garbage.ts";
import type { IndexTable } from "../../server/domain/ports/index-tables.ts";
import type { Lease } from "../../server/domain/ports/jobs.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import { type MetadataFixture, type OpenMetadataFixture, storeClock } from "./testing/metadata.ts";
import { claimNext, createDataset, createTenant, leaseMs, makeEvent, makePage, morning } from "./testing/records.ts";

const now = morning + 1000;
const pack = { id: "one@1.0.0", model: "one", manifest: "{}" };
const other = { ...pack, id: "two@1.0.0" };

let names = 0;
const tableOf = (workspaceId: WorkspaceId, of = pack.id): IndexTable => ({
  workspaceId,
  pack: of,
  name: `table-${(names += 1)}`,
  unsyncedIn: "",
  version: 0,
});

/** Which features are in the table, and what becomes of the indices whose features were in one that is none any more. */
export function indexPartsContract(open: OpenMetadataFixture): void {
  describe("features in tables of the index", () => {
    let fixture: MetadataFixture;
    let store: Metadata;
    let workspaceId: WorkspaceId;
    beforeAll(async () => {
      fixture = await open();
      store = await fixture.connect();
      await store.packs.use(pack, now);
    });
    afterAll(() => fixture.dispose());
    beforeEach(async () => {
      storeClock.now = now;
      ({ workspaceId } = await createTenant(store));
    });

    const garbage = async (): Promise<readonly Garbage[]> => store.garbage.due(now + 3_600_000, 10_000);

    let table: IndexTable;
    let dataset: Dataset;
    let lease: Lease;
    let index: FeaturesOf;
    beforeEach(async () => {
      ({ dataset } = await createDataset(store, workspaceId, { itemCount: 9 }));
      ({ lease } = await claimNext(store, "jobs", now));
      const pages = Array.from({ length: 9 }, (_, at) => makePage(at + 1));
      await store.pages.save(lease, dataset.id, pages, now);
      const begun = await store.indices.begin(lease, dataset, true, now);
      if (begun === undefined) throw new Error("the lease is lost");
      index = { datasetId: dataset.id, generation: begun.generation };
      table = await store.indexTables.add(tableOf(workspaceId));
    });
    // Else it would be claimed by other cases.
    afterEach(async () => {
      await finish();
      await store.datasets.delete(workspaceId, dataset.id, now, makeEvent());
    });

    const finish = () => store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);

    const partOf = (name: string, page: number, inTable = table.name): NewPart => ({
      key: `features/${dataset.id}/${name}.arrow`,
      generation: index.generation,
      pages: [page],
      bytes: 1000,
      sha256: "ab".repeat(32),
      table: inTable,
    });
    const list = (part: NewPart) => store.pages.markEmbedded(lease, dataset.id, part.pages, now, { part });
    const tables = async (of = index) => (await store.features.parts(of)).map((part) => part.table);
    const isIncomplete = async (): Promise<boolean> =>
      (await store.indices.incomplete({ workspaceId, datasetIds: undefined }, 10)).length > 0;
    async function claimRebuild() {
      const claimed = await store.indices.claimRebuild("worker", leaseMs);
      if (claimed?.lease.datasetId !== dataset.id) throw new Error("the index is not to be filled again");
      return claimed;
    }

    it("are listed with the table; an index with some in a table that is gone is to be filled again", async () => {
      await list(partOf("one", 1));
      expect(await tables()).toEqual([table.name]);
      expect(await isIncomplete()).toBe(false);
      await list(partOf("two", 2, "gone"));
      expect(await tables()).toEqual([table.name, ""]);
      expect(await isIncomplete()).toBe(true);
      const { how, lease: held } = await claimRebuild();
      expect(how).toBe("missing");
      await store.features.entered(index, [partOf("two", 2).key], "gone");
      expect(await tables()).toEqual([table.name, ""]);
      await store.features.entered(index, [partOf("two", 2).key], table.name);
      expect(await tables()).toEqual([table.name, table.name]);
      // A part that is listed under a claim to fill the index again does not end the claim.
      expect(await store.indices.markRebuilt(held, [], partOf("three", 3, "gone"))).toBe(true);
      expect(await store.indices.rebuilt(held)).toBe(true);
    });

    it("are in none once it is discarded, and their indices are to be filled again", async () => {
      await list(partOf("one", 1));
      await finish();
      await store.indices.rebuild([dataset.id], "all");
      const { lease: held } = await claimRebuild();
      expect(await store.indexTables.discard({ ...table, name: "another" }, now)).toBe(false);
      expect(await store.indices.renew(held, leaseMs)).toBe(true);
      expect(await store.indexTables.discard(table, now)).toBe(true);
      expect(await store.indexTables.discard(table, now)).toBe(false);
      expect(await store.indexTables.find(table)).toBeUndefined();
      expect(await tables()).toEqual([""]);
      expect(await store.indices.rebuilt(held)).toBe(false);
      const again = await claimRebuild();
      expect(again.how).toBe("all");
      await store.indices.rebuilt(again.lease);
      expect(await garbage()).toContainEqual({ kind: "table", key: table.name });

      const next = await store.indexTables.add(tableOf(workspaceId));
      await store.features.entered(index, [partOf("one", 1).key], next.name);
      const [said] =
        (await store.datasets.update(workspaceId, dataset.id, () => ({ fileName: "renamed.pdf" }), now))?.renewals ??
        [];
      if (said === undefined) throw new Error("there is nothing to renew");
      await store.indexTables.discard(next, now);
      expect(await store.indices.rebuilt(said)).toBe(false);
      const last = await claimRebuild();
      expect(last.how).toBe("missing");
      await store.indices.rebuilt(last.lease);
    });

    it("leave indices alone that are in other tables", async () => {
      await list(partOf("one", 1));
      await finish();
      const others = [tableOf((await createTenant(store)).workspaceId), tableOf(workspaceId, other.id)];
      for (const one of others) await store.indexTables.add(one);
      for (const one of others) expect(await store.indexTables.discard(one, now)).toBe(true);
      expect(await isIncomplete()).toBe(false);
      expect(await tables()).toEqual([table.name]);
    });

    it("are in none, whichever of listing and discarding comes first", async () => {
      const others = await fixture.connect();
      for (let page = 1; page <= 9; page += 1) {
        const current = await store.indexTables.add(tableOf(workspaceId));
        await Promise.all([list(partOf(`part-${page}`, page, current.name)), others.indexTables.discard(current, now)]);
      }
      expect(await tables()).toEqual(Array.from({ length: 9 }, () => ""));
      const { how, lease: held } = await claimRebuild();
      expect(how).toBe("missing");
      await store.indices.rebuilt(held);
    });

    it("are entered where they are in no table and no index is to be filled again, as after a restore", async () => {
      await list(partOf("one", 1));
      await finish();
      expect(await store.indices.enterUnlisted()).toBe(0);
      await store.indexTables.discard(table, now);
      await store.indices.rebuilt((await claimRebuild()).lease);
      expect(await isIncomplete()).toBe(false);
      expect(await store.indices.enterUnlisted()).toBe(1);
      expect(await isIncomplete()).toBe(true);
      expect(await store.indices.enterUnlisted()).toBe(0);
      const { how, lease: held } = await claimRebuild();
      expect(how).toBe("missing");
      await store.indices.rebuilt(held);
      const next = await store.indexTables.add(tableOf(workspaceId));
      await store.features.entered(index, [partOf("one", 1).key], next.name);
      expect(await store.indices.enterUnlisted()).toBe(0);
    });

    it("name the table of what is garbage", async () => {
      const [first, ofTable] = [index.generation, { workspaceId, pack: pack.id }];
      const begun = await store.indices.begin(lease, dataset, true, now);
      await finish();
      await store.datasets.delete(workspaceId, dataset.id, now, makeEvent());
      const vectors = (await garbage()).filter((one) => one.kind === "vectors" && one.key === dataset.id);
      expect(vectors).toHaveLength(3);
      expect(vectors).toContainEqual({ kind: "vectors", key: dataset.id });
      for (const generation of [first, begun?.generation])
        expect(vectors).toContainEqual({ kind: "vectors", key: dataset.id, generation, table: ofTable });
    });

    describe("of an index that is being made", () => {
      /** Makes one of the dataset with the other pack, in a table of its own; gives what is left to do of it. */
      async function make() {
        await list(partOf("one", 1));
        await finish();
        const made = await store.indexTables.add(tableOf(workspaceId, other.id));
        await store.packs.use(other, now);
        for (;;) {
          const claimed = await store.indices.claim("worker", leaseMs, now);
          if (claimed === undefined) throw new Error("the dataset does not change");
          if (claimed.lease.datasetId !== dataset.id) continue;
          const part = { ...partOf("made", 1, made.name), generation: claimed.generation };
          await store.indices.mark(claimed.lease, [{ page: 1, failure: null }], now, part);
          const of = { datasetId: dataset.id, generation: claimed.generation };
          return { made, of, part, lease: claimed.lease };
        }
      }

      it("are found in it when it comes to serve", async () => {
        const { of, made, lease: making } = await make();
        try {
          expect(await tables(of)).toEqual([made.name]);
          expect(await store.indices.complete(making, now)).toBe("complete");
          expect(await isIncomplete()).toBe(false);
        } finally {
          await store.packs.use(pack, now);
        }
      });

      it("are entered again when it comes to serve and the table has been discarded", async () => {
        const { of, made, lease: making } = await make();
        try {
          await store.datasets.update(workspaceId, dataset.id, () => ({ fileName: "renamed.pdf" }), now);
          expect(await store.indexTables.discard(made, now)).toBe(true);
          expect(await isIncomplete()).toBe(false);
          expect(await tables(of)).toEqual([""]);
          expect(await store.indices.complete(making, now)).toBe("complete");
          expect(await isIncomplete()).toBe(true);
          await store.indices.retireStale(now, 100);
          const { how, lease: held } = await claimRebuild();
          expect(how).toBe("missing");
          await store.indices.rebuilt(held);
        } finally {
          await store.packs.use(pack, now);
        }
      });

      it("are forgotten where the index is to be elsewhere, and those of others stay", async () => {
        const { of, part, lease: making } = await make();
        try {
          await store.indexTables.forgetAll();
          expect(await tables(of)).toEqual([]);
          expect(await garbage()).toContainEqual({ kind: "blob", key: part.key });
          expect(await store.indices.unmarked(dataset.id, other.id)).toEqual([1]);
          expect(await tables()).toEqual([""]);
          await store.indices.release(making);
        } finally {
          await store.packs.use(pack, now);
        }
      });
    });
  });
}
