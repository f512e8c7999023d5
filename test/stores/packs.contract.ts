import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DatasetId, WorkspaceId } from "../../server/domain/ids.ts";
import type { Metadata } from "../../server/domain/ports/metadata.ts";
import type { ClaimedIndex } from "../../server/domain/ports/packs.ts";
import { type MetadataFixture, type OpenMetadataFixture, storeClock } from "./testing/metadata.ts";
import {
  claimNext,
  createDataset,
  createTenant,
  leaseMs,
  makeEvent,
  makePage,
  morning,
  removeRows,
} from "./testing/records.ts";

const now = morning + 1000;

const packOf = (id: string) => ({ id, model: id, manifest: `{"id":"${id}"}` });
const old = packOf("old@1.0.0");
const next = packOf("next@1.0.0");

/** Model packs, which one is in use, and the indices of datasets in them. */
export function packsContract(open: OpenMetadataFixture): void {
  describe("packs and indices", () => {
    // One for each case: a change of the pack concerns all datasets that there are.
    let fixture: MetadataFixture;
    let db: { readonly store: Metadata };
    beforeEach(async () => {
      fixture = await open();
      db = { store: await fixture.connect() };
    });
    afterEach(() => fixture.dispose());

    /** A dataset with so many embedded pages, and one that could not be embedded, by the pack in use. */
    async function vectorized(workspaceId: WorkspaceId, pages = 3): Promise<DatasetId> {
      const { dataset } = await createDataset(db.store, workspaceId, { itemCount: pages + 1 });
      const { lease } = await claimNext(db.store, "jobs", now);
      const numbers = Array.from({ length: pages + 1 }, (_, index) => index + 1);
      await db.store.pages.save(
        lease,
        dataset.id,
        numbers.map((page) => makePage(page)),
        now,
      );
      expect(await db.store.indices.begin(lease, dataset, true, now)).toBeDefined();
      await db.store.pages.markEmbedded(lease, dataset.id, numbers.slice(0, pages), now);
      await db.store.pages.noteFailures(lease, dataset.id, "embed", [{ page: pages + 1, reason: "too dark" }], now);
      await db.store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);
      return dataset.id;
    }

    async function claimed(owner = "w"): Promise<ClaimedIndex> {
      const index = await db.store.indices.claim(owner, leaseMs, now);
      if (index === undefined) throw new Error("there is no dataset to change");
      return index;
    }

    const garbageOf = async (id: DatasetId) =>
      (await db.store.garbage.due(now + 60_000, 100)).flatMap((garbage) =>
        garbage.kind === "vectors" && garbage.key === id ? [garbage.generation] : [],
      );

    const marksOf = (pages: readonly number[]) => pages.map((page) => ({ page, failure: null }));

    it("has one pack in use, and enters who chose it", async () => {
      const { organisationId } = await createTenant(db.store);
      const event = makeEvent({ organisationId, action: "model.use", target: next.id });
      expect(await db.store.packs.use(old, now)).toBe("in use");
      expect(await db.store.packs.use(next, now + 1, event)).toBe("in use");
      expect(await db.store.packs.list()).toEqual([
        { ...next, isInUse: true },
        { ...old, isInUse: false },
      ]);
      const audit = await db.store.audit.list({ organisationId, action: "", offset: 0, limit: 10 });
      expect(audit.data).toEqual([event]);
    });

    it("lets a job go on with the pack that it began with", async () => {
      const { workspaceId } = await createTenant(db.store);
      await db.store.packs.use(old, now);
      const { dataset } = await createDataset(db.store, workspaceId);
      const { lease } = await claimNext(db.store, "jobs", now);
      expect(await db.store.indices.begin({ ...lease, token: "other" }, dataset, true, now)).toBeUndefined();
      expect(await db.store.indices.begin(lease, dataset, false, now)).toMatchObject({ pack: old.id });
      await db.store.packs.use(next, now);
      expect(await db.store.indices.begin(lease, dataset, false, now)).toMatchObject({ pack: old.id });
      // Not while the job is at work.
      expect(await db.store.indices.claim("w", leaseMs, now)).toBeUndefined();
      expect(await db.store.indices.begin(lease, dataset, true, now)).toMatchObject({ pack: next.id });
      expect(await db.store.packs.ofDataset(dataset.id)).toMatchObject({ pack: next.id });
    });

    it("changes a dataset in one moment, once all its pages are there", async () => {
      const { workspaceId } = await createTenant(db.store);
      await db.store.packs.use(old, now);
      const id = await vectorized(workspaceId);
      expect(await db.store.indices.claim("w", leaseMs, now)).toBeUndefined();
      await db.store.packs.use(next, now);
      expect(await db.store.packs.inWorkspace(workspaceId)).toEqual([{ pack: old.id, without: [] }]);

      const { lease } = await claimed();
      expect(lease).toMatchObject({ datasetId: id, pack: next.id });
      expect(await db.store.indices.claim("v", leaseMs, now)).toBeUndefined();
      expect(await db.store.indices.unmarked(id, next.id)).toEqual([1, 2, 3, 4]);
      expect(await db.store.indices.mark(lease, marksOf([1, 2]), now)).toBe(true);
      expect(await db.store.indices.unmarked(id, next.id)).toEqual([3, 4]);
      expect(await db.store.indices.complete(lease, now + 10)).toBe("later");
      expect(await db.store.packs.ofDataset(id)).toMatchObject({ pack: old.id });

      const again = await claimed();
      await db.store.indices.mark(again.lease, [{ page: 3, failure: "too bright" }, ...marksOf([4])], now + 5);
      expect(await db.store.indices.countMarked(id, next.id)).toEqual({ embedded: 3, failed: 1 });
      expect(await db.store.indices.complete(again.lease, now + 10)).toBe("complete");
      expect(await db.store.packs.ofDataset(id)).toMatchObject({ pack: next.id });
      expect(await db.store.packs.inWorkspace(workspaceId)).toEqual([{ pack: next.id, without: [] }]);
      expect(await db.store.pages.failures([id])).toEqual(new Map([[id, [{ page: 3, reason: "too bright" }]]]));
      expect(await db.store.pages.getItem(id, 4, "embedding_image")).toMatchObject({ createdAt: now + 5 });
      expect(await db.store.pages.getItem(id, 3, "embedding_image")).toBeUndefined();
    });

    it("removes the previous index once no search can be using it, then the pack", async () => {
      const { workspaceId } = await createTenant(db.store);
      await db.store.packs.use(old, now);
      const id = await vectorized(workspaceId);
      const before = await db.store.packs.ofDataset(id);
      await db.store.packs.use(next, now);
      const { lease } = await claimed();
      await db.store.indices.mark(lease, marksOf([1, 2, 3, 4]), now);
      await db.store.indices.complete(lease, now + 10);

      expect(await db.store.indices.retireStale(now + 9, 10)).toBe(0);
      expect(await db.store.packs.beginRetirement()).toBeUndefined();
      expect(await db.store.indices.generations([id])).toHaveLength(2);
      expect(await db.store.indices.retireStale(now + 10, 10)).toBe(1);
      expect(await db.store.indices.generations([id])).toMatchObject([{ datasetId: id, pack: next.id }]);
      expect(await garbageOf(id)).toEqual([before?.generation]);

      expect(await db.store.packs.beginRetirement()).toBe(old.id);
      expect(await db.store.packs.use(old, now)).toBe("leaving");
      await db.store.packs.forget(old.id);
      expect(await db.store.packs.list()).toEqual([{ ...next, isInUse: true }]);
      expect(await db.store.packs.use(old, now)).toBe("in use");
    });

    it("has a pack leave again that is written to after it has left, or while it leaves", async () => {
      const { packs } = db.store;
      await packs.use(old, now);
      await packs.retryRetirement(old.id);
      expect(await packs.beginRetirement()).toBeUndefined();
      await packs.use(next, now);
      await packs.beginRetirement();
      await packs.retryRetirement(old.id);
      expect(await packs.use(old, now)).toBe("leaving");
      await packs.forget(old.id);
      expect(await packs.beginRetirement()).toBe(old.id);
      await packs.forget(old.id);
      expect(await packs.list()).toEqual([{ ...next, isInUse: true }]);

      await packs.retryRetirement(old.id);
      expect(await packs.beginRetirement()).toBe(old.id);
      await packs.forget(old.id);
      expect(await packs.beginRetirement()).toBeUndefined();
      expect(await packs.list()).toEqual([{ ...next, isInUse: true }]);
    });

    it("abandons what is being made when another pack is put to use", async () => {
      const { workspaceId } = await createTenant(db.store);
      await db.store.packs.use(old, now);
      const id = await vectorized(workspaceId);
      await db.store.packs.use(next, now);
      const { lease, generation } = await claimed();
      await db.store.indices.mark(lease, marksOf([1]), now);
      await db.store.packs.use(old, now);
      expect(await db.store.indices.mark(lease, marksOf([2]), now)).toBe(false);
      expect(await db.store.indices.renew(lease, leaseMs)).toBe(false);
      expect(await db.store.indices.complete(lease, now)).toBe("lost");
      expect(await db.store.indices.claim("w", leaseMs, now)).toBeUndefined();
      expect(await db.store.packs.ofDataset(id)).toMatchObject({ pack: old.id });
      // And forth again, with rows of its own, while what it left is being removed.
      await db.store.packs.use(next, now);
      const again = await claimed();
      expect(again.suspects).toEqual([]);
      expect(again.generation).not.toBe(generation);
      expect(await garbageOf(id)).toEqual([generation]);
      expect(await db.store.indices.retireStale(now, 10)).toBe(0);
      expect(await db.store.indices.unmarked(id, next.id)).toEqual([1, 2, 3, 4]);
    });

    it("keeps a dataset with its pack when the new one fails, says so, and tries again when asked to", async () => {
      const { workspaceId, organisationId } = await createTenant(db.store);
      const stranger = await createTenant(db.store);
      await db.store.packs.use(old, now);
      const id = await vectorized(workspaceId);
      await db.store.packs.use(next, now);
      const { lease, generation } = await claimed();
      await db.store.indices.mark(lease, marksOf([1]), now);
      expect(await db.store.packs.progress(organisationId)).toMatchObject({
        datasetsDone: 0,
        pagesDone: 1,
        pagesTotal: 4,
      });
      expect(await db.store.indices.fail(lease, "no light", now)).toBe(true);
      expect(await db.store.indices.claim("w", leaseMs, now)).toBeUndefined();
      expect(await db.store.packs.progress(undefined)).toEqual({
        datasetsTotal: 1,
        datasetsDone: 0,
        pagesTotal: 4,
        pagesDone: 0,
        datasetsByPack: new Map([[old.id, 1]]),
        failures: [{ datasetId: id, reason: "no light" }],
        failed: 1,
      });
      // An organisation sees only its own datasets.
      expect(await db.store.packs.progress(stranger.organisationId)).toMatchObject({ datasetsTotal: 0, failures: [] });
      expect(await garbageOf(id)).toEqual([generation]);
      expect(await db.store.packs.progress(undefined)).toMatchObject({ failed: 1 });
      expect(await db.store.packs.beginRetirement()).toBeUndefined();
      await db.store.packs.use(next, now);
      const again = await claimed();
      expect(again.lease.datasetId).toBe(id);
      expect(again.generation).not.toBe(generation);
    });

    it("suspects the pages that were in flight when a worker died, and goes on after those that are done", async () => {
      const { workspaceId } = await createTenant(db.store);
      await db.store.packs.use(old, now);
      const id = await vectorized(workspaceId);
      await db.store.packs.use(next, now);
      const { lease, generation } = await claimed("dead");
      await db.store.indices.mark(lease, marksOf([1]), now);
      await db.store.indices.setInFlight(lease, [2, 3]);
      await db.store.indices.expireLeases("dead");
      expect(await db.store.indices.renew(lease, leaseMs)).toBe(false);
      const again = await claimed();
      expect(again).toMatchObject({ suspects: [2, 3], generation });
      expect(await db.store.indices.unmarked(id, next.id)).toEqual([2, 3, 4]);
      await db.store.indices.setInFlight(again.lease, [4]);
      await db.store.indices.release(again.lease);
      const third = await claimed();
      expect(third.suspects).toEqual([2, 3]);
      expect(await db.store.indices.postpone(third.lease, 1_000)).toBe(1);
      expect(await db.store.indices.claim("w", leaseMs, now)).toBeUndefined();
      storeClock.now += 1_000;
      expect(await claimed()).toMatchObject({ tries: 1 });
    });

    it("lets workspaces take turns", async () => {
      const { workspaceId: many } = await createTenant(db.store);
      const { workspaceId: few } = await createTenant(db.store);
      await db.store.packs.use(old, now);
      for (let count = 0; count < 3; count++) await vectorized(many);
      await vectorized(few);
      await db.store.packs.use(next, now);
      const turns = [];
      for (let turn = 0; turn < 4; turn++) {
        const index = await db.store.indices.claim("w", leaseMs, now);
        storeClock.now += 1;
        turns.push(index?.workspaceId);
      }
      expect(new Set(turns.slice(0, 2))).toEqual(new Set([many, few]));
      expect(turns.slice(2)).toEqual([many, many]);
    });

    it("says which datasets a pack holds pages of that do not count, each workspace apart", async () => {
      const { workspaceId } = await createTenant(db.store);
      const stranger = await createTenant(db.store);
      await db.store.packs.use(old, now);
      const changed = await vectorized(workspaceId);
      const changing = await vectorized(workspaceId);
      await vectorized(stranger.workspaceId);
      await db.store.packs.use(next, now);
      const seen = new Set<string>();
      while (!(seen.has(changed) && seen.has(changing))) {
        const { lease } = await claimed();
        seen.add(lease.datasetId);
        if (lease.datasetId !== changed) continue;
        await db.store.indices.mark(lease, marksOf([1, 2, 3, 4]), now);
        await db.store.indices.complete(lease, now + 10);
      }
      const scopes = await db.store.packs.inWorkspace(workspaceId);
      expect(scopes.toSorted((a, b) => (a.pack < b.pack ? -1 : 1))).toEqual([
        { pack: next.id, without: [changing] },
        { pack: old.id, without: [changed] },
      ]);
    });

    it("says which deleted datasets may still have rows, until these are removed", async () => {
      const { workspaceId, organisationId } = await createTenant(db.store);
      await db.store.packs.use(old, now);
      const [id] = [await vectorized(workspaceId), await vectorized(workspaceId)];
      await db.store.datasets.delete(workspaceId, id, now, makeEvent({ organisationId, workspaceId }));
      expect(await db.store.packs.inWorkspace(workspaceId)).toEqual([{ pack: old.id, without: [id] }]);
      for (const garbage of await db.store.garbage.due(now + 3_600_000, 10_000)) {
        if (garbage.kind === "vectors" && garbage.key === id) await db.store.garbage.done(garbage);
      }
      expect(await db.store.packs.inWorkspace(workspaceId)).toEqual([{ pack: old.id, without: [] }]);
    });

    it("does not leave out a dataset of which rows are to be removed that are no longer its own", async () => {
      const { workspaceId } = await createTenant(db.store);
      await db.store.packs.use(old, now);
      const id = await vectorized(workspaceId);
      await db.store.garbage.add(
        [
          { kind: "vectors", key: id, generation: "gone" },
          { kind: "vectors", key: id },
        ],
        now,
      );
      expect(await db.store.packs.inWorkspace(workspaceId)).toEqual([{ pack: old.id, without: [] }]);
    });

    it("forgets the indices of a deleted dataset", async () => {
      const { workspaceId, organisationId } = await createTenant(db.store);
      await db.store.packs.use(old, now);
      const id = await vectorized(workspaceId);
      await db.store.packs.use(next, now);
      const { lease } = await claimed();
      await db.store.indices.mark(lease, marksOf([1]), now);
      await db.store.datasets.delete(workspaceId, id, now, makeEvent({ organisationId, workspaceId }));
      expect(await db.store.indices.renew(lease, leaseMs)).toBe(false);
      expect(await db.store.packs.ofDataset(id)).toBeUndefined();
      await removeRows(db.store, now);
      expect(await db.store.indices.countMarked(id, next.id)).toEqual({ embedded: 0, failed: 0 });
      expect(await db.store.packs.beginRetirement()).toBe(old.id);
    });
  });
}
