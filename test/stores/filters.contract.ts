import { array, assert, asyncProperty, boolean, integer, type JsonValue, nat, sample } from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Dataset } from "../../server/domain/datasets/dataset.ts";
import { readMetadata } from "../../server/domain/datasets/metadata.ts";
import { matches } from "../../server/domain/filters/filter.ts";
import { readFilter } from "../../server/domain/filters/read.ts";
import type { DatasetId, WorkspaceId } from "../../server/domain/ids.ts";
import { filterJson, metadata as someMetadata } from "./testing/filters.ts";
import { type OpenMetadataFixture, useMetadata } from "./testing/metadata.ts";
import { createDataset, createTenant, makeEvent, morning } from "./testing/records.ts";

/** Datasets by their metadata: what the store finds is what `matches` says. */
export function filtersContract(open: OpenMetadataFixture): void {
  describe("filters", () => {
    const db = useMetadata(open);
    const now = morning + 1000;
    let workspaceId: WorkspaceId;
    let all: readonly Dataset[];

    const list = (filter: JsonValue, offset = 0, limit = 1000) =>
      db.store.datasets.list({
        workspaceId,
        types: [],
        sha256: [],
        filter: readFilter(filter),
        sort: [],
        offset,
        limit,
        now,
      });
    const found = async (filter: JsonValue) => (await list(filter)).data.map(({ id }) => id);
    const expected = (filter: JsonValue, among = all) => {
      const read = readFilter(filter);
      return among.filter(({ metadata }) => matches(read, metadata)).map(({ id }) => id);
    };

    beforeAll(async () => {
      ({ workspaceId } = await createTenant(db.store));
      const stranger = await createTenant(db.store);
      const made: Dataset[] = [];
      for (const given of sample(someMetadata, { numRuns: 150, seed: 7 })) {
        const metadata = readMetadata(given);
        made.push((await createDataset(db.store, workspaceId, { metadata })).dataset);
        await createDataset(db.store, stranger.workspaceId, { metadata });
        await createDataset(db.store, workspaceId, { metadata, expiresAt: now });
      }
      all = made.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    });

    it("keeps the metadata", async () => {
      for (const dataset of all.slice(0, 30)) {
        expect(await db.store.datasets.get(workspaceId, dataset.id, now)).toEqual(dataset);
      }
    });

    it("finds what the reference finds, in lists and among given ids", { timeout: 120_000 }, async () => {
      await assert(
        asyncProperty(filterJson, async (filter) => {
          const wanted = expected(filter);
          const { total, data } = await list(filter);
          expect(data.map(({ id }) => id)).toEqual(wanted);
          expect(total).toBe(wanted.length);
          const query = { workspaceId, filter: readFilter(filter), now };
          expect(new Set(await db.store.datasets.ids({ ...query, limit: 1000 }))).toEqual(new Set(wanted));
          const among = all.filter((_, at) => at % 3 === 0).map(({ id }) => id);
          const here: readonly DatasetId[] = await db.store.datasets.ids({ ...query, among, limit: 1000 });
          expect(new Set(here)).toEqual(new Set(wanted.filter((id) => among.includes(id))));
        }),
        { numRuns: 300 },
      );
    });

    it("finds by metadata as it is after changes", { timeout: 60_000 }, async () => {
      const { dataset } = await createDataset(db.store, workspaceId, { metadata: readMetadata({ a: 1 }) });
      all = [...all, dataset].toSorted((one, other) => (one.id < other.id ? -1 : 1));
      await assert(
        asyncProperty(someMetadata, array(filterJson, { maxLength: 3 }), async (given, filters) => {
          const metadata = readMetadata(given);
          const changed = await db.store.datasets.update(workspaceId, dataset.id, () => ({ metadata }), now);
          expect(changed).toEqual({
            dataset: { ...dataset, metadata, updatedAt: now },
            pending: undefined,
            renewals: [],
          });
          all = all.map((one) => (one.id === dataset.id ? { ...one, metadata } : one));
          for (const filter of filters) expect(await found(filter)).toEqual(expected(filter));
        }),
        { numRuns: 30 },
      );
    });

    it("pages without gaps, and counts behind the end too", async () => {
      const filter = { a: { $exists: true } };
      const wanted = expected(filter);
      expect(wanted.length).toBeGreaterThan(20);
      const pages = [await list(filter, 0, 15), await list(filter, 15, 1000)];
      expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(wanted);
      expect(pages.map(({ total }) => total)).toEqual([wanted.length, wanted.length]);
      expect(await list(filter, 1_000_000, 10)).toEqual({ total: wanted.length, data: [] });
    });

    it(
      "finds the same where more datasets fulfil a condition than are looked up one by one",
      { timeout: 180_000 },
      async () => {
        const tenant = await createTenant(db.store);
        const made: Dataset[] = [];
        for (const [at, given] of sample(someMetadata, { numRuns: 1_200, seed: 3 }).entries()) {
          const metadata = readMetadata({ ...given, wide: at % 2 === 0 ? 1 : [1, 1, "two"] });
          const expiresAt = at % 10 === 0 ? now : null;
          const createdAt = morning - (at % 7) * 1000;
          const { dataset } = await createDataset(db.store, tenant.workspaceId, { metadata, expiresAt, createdAt });
          if (expiresAt === null) made.push(dataset);
        }
        const before = (one: Dataset, other: Dataset): number =>
          other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1);
        await assert(
          asyncProperty(
            filterJson,
            boolean(),
            nat({ max: 40 }),
            integer({ min: 1, max: 15 }),
            async (json, isWide, offset, limit) => {
              const filter = readFilter(
                isWide ? { wide: 1, b: { $ne: "none of them" } } : { $and: [json, { wide: 1 }] },
              );
              const wanted = made.filter(({ metadata }) => matches(filter, metadata)).toSorted(before);
              const query = { workspaceId: tenant.workspaceId, filter, now };
              const sort = [{ property: "createdAt", descending: true }] as const;
              const { total, data } = await db.store.datasets.list({
                ...query,
                types: [],
                sha256: [],
                sort,
                offset,
                limit,
              });
              expect(data.map(({ id }) => id)).toEqual(wanted.slice(offset, offset + limit).map(({ id }) => id));
              expect(total).toBe(wanted.length);
              const ids = await db.store.datasets.ids({ ...query, limit: 2_000 });
              expect(ids.length).toBe(wanted.length);
              expect(new Set(ids)).toEqual(new Set(wanted.map(({ id }) => id)));
              expect(await db.store.datasets.ids({ ...query, limit: 3 })).toHaveLength(Math.min(3, wanted.length));
            },
          ),
          { numRuns: 60 },
        );
      },
    );

    it("forgets the values of a dataset with it", async () => {
      const metadata = readMetadata({ only: "this" });
      const { dataset } = await createDataset(db.store, workspaceId, { metadata });
      expect(await found({ only: "this" })).toEqual([dataset.id]);
      await db.store.datasets.delete(workspaceId, dataset.id, now, makeEvent());
      expect(await found({ only: "this" })).toEqual([]);
      // The same id again, as an import makes it.
      await createDataset(db.store, workspaceId, { id: dataset.id });
      expect(await found({ only: "this" })).toEqual([]);
    });

    it("deletes what is meant as it is by then", async () => {
      const { dataset } = await createDataset(db.store, workspaceId, { metadata: readMetadata({ a: "kept" }) });
      const { datasets } = db.store;
      const only = (value: string) => (one: Dataset) => one.metadata["a"] === value;
      expect(await datasets.delete(workspaceId, dataset.id, now, makeEvent(), only("gone"))).toBeUndefined();
      expect(await datasets.get(workspaceId, dataset.id, now)).toEqual(dataset);
      expect(await datasets.delete(workspaceId, dataset.id, now, makeEvent(), only("kept"))).toBeDefined();
      expect(await datasets.get(workspaceId, dataset.id, now)).toBeUndefined();
    });

    it("changes nothing where the change throws, and nothing of another workspace", async () => {
      const { dataset } = await createDataset(db.store, workspaceId, { metadata: readMetadata({ a: "old" }) });
      const refuse = (): never => {
        throw new Error("refused");
      };
      await expect(db.store.datasets.update(workspaceId, dataset.id, refuse, now)).rejects.toThrow("refused");
      const stranger = await createTenant(db.store);
      const change = () => ({ fileName: "taken.pdf" });
      expect(await db.store.datasets.update(stranger.workspaceId, dataset.id, change, now)).toBeUndefined();
      expect(await db.store.datasets.get(workspaceId, dataset.id, now)).toEqual(dataset);
    });
  });
}
