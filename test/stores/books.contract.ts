import { describe, expect, it } from "vitest";
import { newDatasetId } from "../../server/domain/ids.ts";
import { useMetadata, type OpenMetadataFixture } from "./testing/metadata.ts";
import { createDataset, createTenant, morning } from "./testing/records.ts";

/** The lists of what is stored beside the rows: renditions in the cache, and garbage. */
export function booksContract(open: OpenMetadataFixture): void {
  describe("renditions and garbage", () => {
    const db = useMetadata(open);

    it("lists the cache, least recently used first", async () => {
      const { renditions } = db.store;
      const { workspaceId } = await createTenant(db.store);
      const datasetId = (await createDataset(db.store, workspaceId)).dataset.id;
      const keys = ["a", "b", "c"].map((name) => `renditions/${datasetId}/${name}.jpg`);
      const [a = "", b = "", c = ""] = keys;
      for (const [index, key] of keys.entries()) await renditions.put(key, datasetId, 10 + index, morning + index);
      expect(await renditions.totalBytes()).toBe(33);
      await renditions.touch(new Map([[a, morning + 100]]));
      await renditions.touch(new Map([[a, morning + 50]]));
      expect(await renditions.oldest(2)).toEqual([
        { key: b, size: 11, lastUsedAt: morning + 1 },
        { key: c, size: 12, lastUsedAt: morning + 2 },
      ]);
      await renditions.put(b, datasetId, 20, morning + 200);
      expect((await renditions.oldest(3)).map(({ key }) => key)).toEqual([c, a, b]);
      await renditions.remove([c, "renditions/unknown"]);
      expect(await renditions.totalBytes()).toBe(30);
      await renditions.remove(Array.from({ length: 1200 }, (_, index) => `${index}`).concat(keys));
      expect(await renditions.totalBytes()).toBe(0);
      expect(await renditions.oldest(3)).toEqual([]);
    });

    it("evicts what has not been used meanwhile, once, and leaves no blob without an owner", async () => {
      const { renditions, garbage } = db.store;
      const other = await db.connect();
      const { workspaceId } = await createTenant(db.store);
      const datasetId = (await createDataset(db.store, workspaceId)).dataset.id;
      const keys = ["p", "q", "r"].map((name) => `renditions/${datasetId}/${name}.jpg`);
      for (const key of keys) await renditions.put(key, datasetId, 10, morning);
      const [p = "", q = "", r = ""] = keys;
      const entries = (await renditions.oldest(1_000)).filter(({ key }) => keys.includes(key));
      await renditions.touch(new Map([[q, morning + 1]]));
      const due = async (): Promise<string[]> => (await garbage.due(morning + 500, 1_000)).map(({ key }) => key);
      const evicted = await Promise.all(
        [db.store, other].map((store) => store.renditions.evict(entries, morning + 500)),
      );
      expect(
        evicted
          .flat()
          .map(({ key }) => key)
          .toSorted(),
      ).toEqual([p, r]);
      expect((await due()).filter((key) => keys.includes(key)).toSorted()).toEqual([p, r]);
      // It is made again before it has been removed.
      await renditions.put(p, datasetId, 10, morning + 2);
      expect((await due()).filter((key) => keys.includes(key))).toEqual([r]);
      expect(await garbage.ownerless(keys)).toEqual([]);
      await garbage.done({ kind: "blob", key: r });
      await renditions.remove(keys);
    });

    it("lets one of several take what is due", async () => {
      const { garbage } = db.store;
      const other = (await db.connect()).garbage;
      const blobs = Array.from({ length: 6 }, (_, index) => ({ kind: "blob", key: `parts/${index}` }) as const);
      await garbage.add(blobs.slice(0, 5), morning - 100);
      await garbage.add(blobs.slice(5), morning + 100);
      const term = { now: morning, until: morning + 1_000 };
      const taken = await Promise.all([garbage.take(blobs, term), other.take(blobs, term), garbage.take([], term)]);
      expect(
        taken
          .flat()
          .map(({ key }) => key)
          .toSorted(),
      ).toEqual(blobs.slice(0, 5).map(({ key }) => key));
      expect(await garbage.take(blobs, { now: morning + 999, until: morning + 2_000 })).toEqual([blobs[5]]);
      for (const blob of blobs) await garbage.done(blob);
    });

    it("enters no rendition of a dataset that is gone", async () => {
      const { renditions } = db.store;
      const gone = newDatasetId();
      expect(await renditions.put(`renditions/${gone}/1.jpg`, gone, 10, morning)).toBe(false);
      expect(await renditions.totalBytes()).toBe(0);
    });

    it("hands garbage out when it is due, until it is removed from the list", async () => {
      const { garbage } = db.store;
      const blob = { kind: "blob", key: "originals/x" } as const;
      const vectors = { kind: "vectors", key: newDatasetId() } as const;
      await garbage.add([blob], morning + 100);
      await garbage.add([vectors], morning);
      expect(await garbage.due(morning, 10)).toEqual([vectors]);
      expect(await garbage.due(morning + 100, 1)).toEqual([vectors]);
      await garbage.add([blob], morning + 500);
      expect(await garbage.due(morning + 100, 10)).toEqual([vectors]);
      await garbage.expireAll();
      expect(await garbage.due(morning, 10)).toHaveLength(2);
      await garbage.done(vectors);
      expect(await garbage.due(morning, 10)).toEqual([blob]);
    });

    it("lets garbage wait, and removes from the list only what has not been added again since", async () => {
      const { garbage } = db.store;
      const vectors = { kind: "vectors", key: newDatasetId() } as const;
      const others = async (now: number) => (await garbage.due(now, 10)).filter(({ key }) => key === vectors.key);
      await garbage.postpone(vectors, morning);
      expect(await others(morning)).toEqual([]);
      await garbage.add([vectors], morning);
      await garbage.postpone(vectors, morning + 100);
      expect(await others(morning + 99)).toEqual([]);
      await garbage.add([vectors], morning + 50);
      await garbage.done(vectors, morning + 100);
      expect(await others(morning + 50)).toEqual([vectors]);
      await garbage.done(vectors, morning + 50);
      expect(await others(morning + 1_000)).toEqual([]);
    });

    it("answers a ping", async () => {
      await expect(db.store.ping()).resolves.toBeUndefined();
    });
  });
}
