import { describe, expect, it } from "vitest";
import { type Dataset, originalKey } from "../../../server/domain/datasets/dataset.ts";
import type { DatasetId } from "../../../server/domain/ids.ts";
import { type OpenMetadataFixture } from "../testing/metadata.ts";
import { claimNext, createDataset, makeDataset, makeEvent, makeJob, makePage, removeRows } from "../testing/records.ts";
import { expectNoneLost, now, fewRounds, race, rounds, tally, times, useRacers } from "./racing.ts";

/** Datasets, what belongs to them and the garbage list, where calls meet. */
export function documentRaces(open: OpenMetadataFixture): void {
  describe("documents whose calls meet", () => {
    const db = useRacers(open);
    const success = { status: "SUCCESS", statusText: "" } as const;
    const failure = { status: "ERROR", statusText: "no" } as const;

    const isOnList = async (kind: string, key: string): Promise<boolean> =>
      (await db.store.garbage.due(now + 1_000_000, 100_000)).some((one) => one.kind === kind && one.key === key);

    it("are deleted once, and told of once", async () => {
      const { organisationId, workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const { dataset, job } = await createDataset(db.store, workspaceId);
        const event = () => makeEvent({ organisationId, target: dataset.id });
        const answers = await race(
          round,
          times(4, (index) => () => db.at(index).datasets.delete(workspaceId, dataset.id, now, event())),
        );
        expect(answers.filter((answer) => answer !== undefined)).toEqual([{ freedBytes: dataset.fileSize }]);
        const events = await db.store.audit.list({ organisationId, action: "", offset: 0, limit: 1000 });
        expect(events.data.filter(({ target }) => target === dataset.id)).toHaveLength(1);
        expect(await db.store.jobs.get(workspaceId, job.id)).toMatchObject({ status: "ERROR" });
      }
    });

    it("expire once, also while their job ends", async () => {
      const { organisationId, workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const { dataset } = await createDataset(db.store, workspaceId, { expiresAt: now });
        const { lease } = await claimNext(db.store, "w", now);
        await race(round, [
          () => db.at(0).datasets.deleteExpired(now, 10),
          () => db.at(1).datasets.deleteExpired(now, 10),
          () => db.at(2).jobs.finish(lease, success, now),
        ]);
        const events = await db.store.audit.list({ organisationId, action: "", offset: 0, limit: 1000 });
        expect(events.data.filter(({ target }) => target === dataset.id)).toHaveLength(1);
        expect(await db.store.datasets.getUnscoped(dataset.id, 0)).toBeUndefined();
      }
    });

    it("that could not be fetched go once, by their job or by a delete", async () => {
      const { organisationId, workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const dataset = makeDataset(workspaceId, { fileSize: 0 });
        await db.store.fetches.create(dataset, makeJob(dataset), "https://example.com/a.pdf");
        const { lease } = await claimNext(db.store, "w", now);
        const event = makeEvent({ organisationId, target: dataset.id });
        const [isFinished, deleted] = await race(round, [
          () => db.at(0).jobs.finish(lease, failure, now),
          () => db.at(1).datasets.delete(workspaceId, dataset.id, now, event),
        ]);
        expect(isFinished).toBe(deleted === undefined);
        const events = await db.store.audit.list({ organisationId, action: "", offset: 0, limit: 1000 });
        expect(events.data.filter(({ target }) => target === dataset.id)).toHaveLength(1);
        expect(await db.store.fetches.get(dataset.id)).toBeUndefined();
      }
    });

    it("lose no bytes that a worker enters while they are deleted", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const dataset = makeDataset(workspaceId, { fileExt: "docx", fileSize: 0 });
        await db.store.fetches.create(dataset, makeJob(dataset), "https://example.com/a.docx");
        const { lease } = await claimNext(db.store, "w", now);
        const keys = [`originals/${dataset.id}.${round}`, `converted/${dataset.id}.${round}.pdf`] as const;
        const [original, converted] = keys;
        await db.store.garbage.add(
          keys.map((key) => ({ kind: "blob", key })),
          now + 60_000,
          lease,
        );
        const document = { fileName: "a.docx", fileExt: "docx", mimeType: "", fileSize: 7, sha256: "ab".repeat(32) };
        const [gone] = await race(round, [
          () => db.at(0).datasets.delete(workspaceId, dataset.id, now, makeEvent()),
          () => db.at(1).fetches.done(lease, dataset.id, { ...document, originalKey: original }, now),
          () => db.at(2).datasets.setConverted(lease, dataset.id, { key: converted, size: 11 }, now),
          () => db.at(3).datasets.setItemCount(lease, dataset.id, 3, now),
        ]);
        expect(gone).toBeDefined();
        await expectNoneLost(db.store, keys);
        for (const key of keys) expect(await isOnList("blob", key)).toBe(true);
      }
    });

    it("leave no rendition behind when they go", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const { dataset } = await createDataset(db.store, workspaceId);
        const key = `renditions/${dataset.id}/1`;
        await race(round, [
          async () => {
            await db.at(0).datasets.delete(workspaceId, dataset.id, now, makeEvent());
            await removeRows(db.at(0), now);
          },
          ...times(3, (index) => () => db.at(index + 1).renditions.put(`${key}-${index}`, dataset.id, 10, now)),
        ]);
        expect(await db.store.renditions.oldest(10)).toEqual([]);
      }
    });

    it("are emptied together: 'none is left' is said when none is", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < fewRounds; round++) {
        const dataset = await manyPages(workspaceId, 700);
        await db.store.datasets.delete(workspaceId, dataset.id, now, makeEvent());
        // Pages are found only while there is a dataset of that id.
        await db.store.datasets.create(dataset, makeJob(dataset));
        const garbage = { kind: "rows", key: dataset.id } as const;
        const left = await race(
          round,
          times(4, (index) => async () => {
            while (!(await db.at(index).garbage.removeRows(garbage, now)));
            return (await db.at(index).pages.finished(dataset.id)).length;
          }),
        );
        expect(left).toEqual([0, 0, 0, 0]);
        await db.store.garbage.done(garbage);
      }
    });

    async function manyPages(workspaceId: Dataset["workspaceId"], count: number): Promise<Dataset> {
      const { dataset } = await createDataset(db.store, workspaceId);
      const { lease } = await claimNext(db.store, "w", now);
      const pages = times(count, (index) => makePage(index + 1));
      await db.store.pages.save(lease, dataset.id, pages, now);
      await db.store.jobs.finish(lease, success, now);
      return dataset;
    }

    it("stay on the garbage list where they are added again while they are removed", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const key = `originals/${makeDataset(workspaceId).id}`;
        const blob = { kind: "blob", key } as const;
        await db.store.garbage.add([blob], now);
        await race(round, [() => db.at(0).garbage.done(blob, now), () => db.at(1).garbage.add([blob], now + 500)]);
        expect(await isOnList("blob", key)).toBe(true);
        await db.store.garbage.done(blob);
      }
    });

    it("have an owner at every moment, or are on the garbage list", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < fewRounds; round++) {
        const kept = await Promise.all(times(3, () => createDataset(db.store, workspaceId)));
        const coming = times(3, () => makeDataset(workspaceId));
        const keys = [...kept.map(({ dataset }) => dataset), ...coming].map(originalKey);
        await db.store.garbage.add(
          coming.map((dataset) => ({ kind: "blob", key: originalKey(dataset) })),
          now + 60_000,
        );
        const [, , ...found] = await race(round, [
          async () => {
            for (const { dataset } of kept) {
              await db.at(0).datasets.delete(workspaceId, dataset.id, now, makeEvent());
            }
          },
          async () => {
            for (const dataset of coming) await db.at(1).datasets.create(dataset, makeJob(dataset));
          },
          ...times(2, (index) => async () => {
            const seen: string[] = [];
            for (let look = 0; look < 5; look++) seen.push(...(await db.at(2 + index).garbage.ownerless(keys)));
            return seen;
          }),
        ]);
        expect(found.flat()).toEqual([]);
      }
    });

    it("enter the same garbage in any order, and remove renditions in any order", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < 5; round++) {
        const made = await Promise.all(times(25, (index) => createDataset(db.at(index), workspaceId)));
        const ids = made.map(({ dataset }) => dataset.id);
        const keyOf = (id: DatasetId, of: number): string => `renditions/${id}/${of}`;
        for (const id of ids) {
          for (const of of [0, 1]) await db.store.renditions.put(keyOf(id, of), id, 10, now);
        }
        const blobs = ids.map((id) => ({ kind: "blob", key: `originals/${id}` }) as const);
        const uses = ids.map((id) => [keyOf(id, 0), now + round] as const);
        await race(round, [
          () => db.at(0).garbage.add(blobs, now + 60_000),
          () => db.at(1).garbage.add(blobs.toReversed(), now + 60_000),
          () => db.at(2).renditions.touch(new Map(uses)),
          () => db.at(3).renditions.touch(new Map(uses.toReversed())),
        ]);
        await race(round, [
          () => db.at(0).renditions.remove(ids.map((id) => keyOf(id, 0))),
          () => db.at(1).renditions.remove(ids.toReversed().map((id) => keyOf(id, 1))),
        ]);
        expect(tally((await db.store.renditions.oldest(10)).map(({ key }) => key))).toEqual({});
        for (const id of ids) await db.store.datasets.delete(workspaceId, id, now, makeEvent());
      }
    });
  });
}
