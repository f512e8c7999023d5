import { describe, expect, it } from "vitest";
import type { Dataset } from "../../../server/domain/datasets/dataset.ts";
import type { WorkspaceId } from "../../../server/domain/ids.ts";
import type { ClaimedIndex } from "../../../server/domain/ports/packs.ts";
import { type OpenMetadataFixture, storeClock } from "../testing/metadata.ts";
import { claimNext, createDataset, leaseMs, makeEvent, makePage } from "../testing/records.ts";
import { now, fewRounds, race, rounds, times, useRacers } from "./racing.ts";

/** Indices and packs whose calls meet. */
export function indexRaces(open: OpenMetadataFixture): void {
  describe("indices whose calls meet", () => {
    const db = useRacers(open);
    const success = { status: "SUCCESS", statusText: "" } as const;
    const packOf = (id: string) => ({ id, model: id, manifest: "{}" });
    const packs = [packOf("one@1.0.0"), packOf("two@1.0.0")] as const;

    const use = (pack: (typeof packs)[number], index = 0) => db.at(index).packs.use(pack, now);

    /** A dataset with an embedded page, by the pack in use. */
    async function vectorized(workspaceId: WorkspaceId): Promise<Dataset> {
      const { dataset } = await createDataset(db.store, workspaceId, { itemCount: 1 });
      const { lease } = await claimNext(db.store, "jobs", now);
      await db.store.pages.save(lease, dataset.id, [makePage(1)], now);
      await db.store.indices.begin(lease, dataset, true, now);
      await db.store.pages.markEmbedded(lease, dataset.id, [1], now);
      await db.store.jobs.finish(lease, success, now);
      return dataset;
    }

    /** Makes `count` datasets that are due to change from one pack to the other. */
    async function due(workspaceId: WorkspaceId, round: number, count: number): Promise<Dataset[]> {
      const [from, to] = round % 2 === 0 ? packs : packs.toReversed();
      if (from === undefined || to === undefined) throw new Error("unreachable");
      await use(from);
      const made = [];
      while (made.length < count) made.push(await vectorized(workspaceId));
      await use(to);
      return made;
    }

    async function claimed(owner = "w"): Promise<ClaimedIndex> {
      const index = await db.store.indices.claim(owner, leaseMs, now);
      if (index === undefined) throw new Error("there is no dataset to change");
      return index;
    }

    const mark = ({ lease }: ClaimedIndex) => db.store.indices.mark(lease, [{ page: 1, failure: null }], now);

    const remove = ({ workspaceId, id }: Dataset, index = 0) =>
      db.at(index).datasets.delete(workspaceId, id, now, makeEvent());

    const generationsOf = async ({ id }: Dataset) =>
      (await db.store.indices.generations([id])).map(({ pack, generation }) => ({ pack, generation }));

    it("are claimed once each, to be made or to be filled again", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < fewRounds; round++) {
        const datasets = await due(workspaceId, round, 4);
        await db.store.indices.rebuild(
          datasets.map(({ id }) => id),
          "missing",
        );
        const claims = await race(round, [
          ...times(6, (index) => () => db.at(index).indices.claim(`w-${index}`, leaseMs, now)),
          ...times(6, (index) => () => db.at(index).indices.claimRebuild(`r-${index}`, leaseMs)),
        ]);
        for (const some of [claims.slice(0, 6), claims.slice(6)]) {
          const got = some.flatMap((claim) => claim?.lease.datasetId ?? []);
          expect(got.toSorted()).toEqual(datasets.map(({ id }) => id).toSorted());
        }
        for (const dataset of datasets) await remove(dataset);
      }
    });

    it("survive the end of the lease that they follow, and learn of its pages in flight", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const [dataset] = await due(workspaceId, round, 1);
        if (dataset === undefined) throw new Error("unreachable");
        const first = await claimed("dead");
        await db.store.indices.setInFlight(first.lease, [1]);
        storeClock.now = now + leaseMs + 1;
        const [, second] = await race(round, [
          () => db.at(0).indices.expireLeases("dead"),
          () => db.at(1).indices.claim("alive", leaseMs, now),
        ]);
        expect(second?.suspects).toEqual([1]);
        if (second === undefined) throw new Error("unreachable");
        expect(await db.store.indices.renew(second.lease, leaseMs)).toBe(true);
        storeClock.now = now;
        await remove(dataset);
      }
    });

    it("serve their dataset, also if one is made and claimed anew at the same time", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const [dataset] = await due(workspaceId, round, 1);
        if (dataset === undefined) throw new Error("unreachable");
        const first = await claimed("slow");
        await mark(first);
        // Its lease has run out, which it learns when another has it.
        storeClock.now = now + leaseMs + 1;
        const [answer, second] = await race(round, [
          () => db.at(0).indices.complete(first.lease, now + 1000),
          () => db.at(1).indices.claim("other", leaseMs, now),
          () => db.at(2).indices.retireStale(now, 10),
        ]);
        storeClock.now = now;
        expect([answer, second !== undefined]).toEqual(second === undefined ? ["complete", false] : ["lost", true]);
        const served = await db.store.packs.ofDataset(dataset.id);
        expect(served?.pack === first.pack).toBe(answer === "complete");
        await remove(dataset);
      }
    });

    it("have failed, or are claimed anew", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const [dataset] = await due(workspaceId, round, 1);
        if (dataset === undefined) throw new Error("unreachable");
        const first = await claimed("slow");
        storeClock.now = now + leaseMs + 1;
        const [hasFailed, second] = await race(round, [
          () => db.at(0).indices.fail(first.lease, "too dark", now),
          () => db.at(1).indices.claim("other", leaseMs, now),
        ]);
        storeClock.now = now;
        expect(hasFailed).toBe(second === undefined);
        expect((await db.store.packs.progress(undefined)).failed).toBe(hasFailed ? 1 : 0);
        await remove(dataset);
      }
    });

    it("are made again while the old one that comes back is removed", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const [dataset] = await due(workspaceId, round, 1);
        if (dataset === undefined) throw new Error("unreachable");
        const first = await claimed();
        await mark(first);
        await db.store.indices.complete(first.lease, now);
        // Back to the pack of the stale one.
        const other = packs.find(({ id }) => id !== first.pack);
        if (other === undefined) throw new Error("unreachable");
        await use(other);
        const [, second] = await race(round, [
          () => db.at(0).indices.retireStale(now, 10),
          () => db.at(1).indices.claim("w", leaseMs, now),
        ]);
        if (second === undefined) throw new Error("unreachable");
        expect(await generationsOf(dataset)).toHaveLength(2);
        await mark(second);
        expect(await db.store.indices.complete(second.lease, now)).toBe("complete");
        await remove(dataset);
      }
    });

    it("of which a job begins one are replaced by no other meanwhile", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const [dataset] = await due(workspaceId, round, 1);
        if (dataset === undefined) throw new Error("unreachable");
        const index = await claimed();
        await mark(index);
        const [, begun] = await race(round, [
          () => db.at(0).indices.complete(index.lease, now + 1000),
          async () => {
            await db.at(1).jobs.reconvert(dataset.id, now);
            const { lease } = await claimNext(db.at(1), "jobs", now);
            const ref = await db.at(1).indices.begin(lease, dataset, round % 3 !== 0, now);
            return { lease, ref };
          },
          () => db.at(2).indices.claim("other", leaseMs, now),
        ]);
        expect(await db.store.packs.ofDataset(dataset.id)).toEqual(begun.ref);
        await db.store.jobs.finish(begun.lease, success, now);
        await remove(dataset);
      }
    });

    it("are not made for a dataset that is gone", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < fewRounds; round++) {
        const datasets = await due(workspaceId, round, 3);
        await race(round, [
          ...datasets.map((dataset, index) => () => remove(dataset, index)),
          ...times(3, (index) => () => db.at(index).indices.claim("w", leaseMs, now)),
        ]);
        for (const dataset of datasets) expect(await generationsOf(dataset)).toEqual([]);
      }
    });

    it("are begun with a pack that stays until they have left it", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const [from, to] = round % 2 === 0 ? packs : packs.toReversed();
        if (from === undefined || to === undefined) throw new Error("unreachable");
        await use(from);
        const { dataset } = await createDataset(db.store, workspaceId);
        const { lease } = await claimNext(db.store, "jobs", now);
        const [begun, , left, leftLater] = await race(round, [
          () => db.at(0).indices.begin(lease, dataset, true, now),
          () => use(to, 1),
          () => db.at(2).packs.beginRetirement(),
          () => db.at(3).packs.beginRetirement(),
        ]);
        expect([from.id, to.id]).toContain(begun?.pack);
        for (const leaving of [left, leftLater]) {
          if (leaving === undefined) continue;
          expect(leaving).not.toBe(begun?.pack);
          await db.store.packs.forget(leaving);
        }
        expect((await db.store.packs.list()).filter(({ isInUse }) => isInUse)).toHaveLength(1);
        expect((await db.store.packs.list()).map(({ id }) => id)).toContain(begun?.pack);
        await db.store.jobs.finish(lease, success, now);
        await remove(dataset);
      }
    });
  });
}
