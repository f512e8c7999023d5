import { describe, expect, it } from "vitest";
import type { Dataset } from "../../server/domain/datasets/dataset.ts";
import { readFilter } from "../../server/domain/filters/read.ts";
import { newDatasetId } from "../../server/domain/ids.ts";
import type { DatasetQuery } from "../../server/domain/ports/datasets.ts";
import { type OpenMetadataFixture, useMetadata } from "./testing/metadata.ts";
import { createDataset, createTenant, makePage, morning } from "./testing/records.ts";
import { claimOf } from "./testing/usage-records.ts";

/** Lists of datasets of a format, and of those that searches find pages of. */
export function datasetTraitsContract(open: OpenMetadataFixture): void {
  describe("datasets by their traits", () => {
    const db = useMetadata(open);
    const now = morning + 1000;

    it("lists the datasets of formats page by page, common and rare ones, without those that have expired", async () => {
      const { workspaceId } = await createTenant(db.store);
      const made: Dataset[] = [];
      for (let at = 0; at < 24; at++) {
        const fileExt = at === 17 ? "xlsx" : at % 3 === 0 ? "docx" : "pdf";
        const expiresAt = at === 3 || at === 4 ? now - 1_000 : null;
        made.push((await createDataset(db.store, workspaceId, { fileExt, expiresAt, createdAt: now + at })).dataset);
      }
      const there = made.filter(({ expiresAt }) => expiresAt === null);
      const compare = async (): Promise<void> => {
        for (const [fileExts, descending] of [
          [["pdf"], true],
          [["docx"], false],
          [["xlsx", "docx", "docx"], true],
          [["xlsx"], false],
          [["pptx"], true],
        ] as const) {
          const expected = there
            .filter(({ fileExt }) => fileExts.some((wanted) => wanted === fileExt))
            .map(({ id }) => id);
          if (descending) expected.reverse();
          for (const offset of [0, 4, expected.length]) {
            const query = { workspaceId, types: [], sha256: [], fileExts, offset, limit: 5, now };
            const { total, data } = await db.store.datasets.list({
              ...query,
              sort: [{ property: "createdAt", descending }],
            });
            expect(data.map(({ id }) => id)).toEqual(expected.slice(offset, offset + 5));
            expect(total).toBe(expected.length);
          }
        }
      };
      await compare();
      expect(await db.store.datasets.deleteExpired(now - 1_000, 100)).toBe(2);
      await compare();
    });

    it("tells those apart by format, and by whether searches find pages of them", async () => {
      const { workspaceId } = await createTenant(db.store);
      const { datasets, indices, packs, pages } = db.store;
      const make = async (fileExt: string, title: string): Promise<Dataset> =>
        (await createDataset(db.store, workspaceId, { fileExt, metadata: { title } })).dataset;
      const [found, begun, deck] = [await make("pdf", "a"), await make("pdf", "b"), await make("pptx", "a")];
      await packs.use({ id: "p@1.0.0", model: "p", manifest: "{}" }, now);
      for (const { id } of [found, begun]) {
        const { lease } = await claimOf(db.store, id);
        await indices.begin(lease, id === found.id ? found : begun, true, now);
        await pages.save(lease, id, [makePage(1)], now);
        if (id === found.id) await pages.markEmbedded(lease, id, [1], now);
      }
      const query = { workspaceId, types: [], sha256: [], sort: [], offset: 0, limit: 10, now };
      const list = async (asked: Partial<DatasetQuery>): Promise<readonly (string | number)[]> => {
        const { total, data } = await datasets.list({ ...query, ...asked });
        return [total, ...data.map(({ id }) => id).toSorted()];
      };
      const those = (...wanted: readonly Dataset[]) => [wanted.length, ...wanted.map(({ id }) => id).toSorted()];
      const filter = readFilter({ title: "a" });
      expect(await list({ fileExts: ["pdf"] })).toEqual(those(found, begun));
      expect(await list({ fileExts: ["pptx", "xlsx"] })).toEqual(those(deck));
      expect(await list({ fileExts: ["xlsx"] })).toEqual(those());
      expect(await list({ isSearchable: true })).toEqual(those(found));
      expect(await list({ isSearchable: false })).toEqual(those(begun, deck));
      expect(await list({ isSearchable: false, fileExts: ["pdf"], filter })).toEqual(those());
      expect(await list({ fileExts: ["pdf"], filter })).toEqual(those(found));
      expect(await datasets.searchable([found.id, begun.id, deck.id, newDatasetId()])).toEqual(new Set([found.id]));
      const ids = { workspaceId, filter, limit: 10, now };
      expect(await datasets.ids({ ...ids, fileExts: ["pptx"] })).toEqual([deck.id]);
      const among = [found.id, begun.id];
      expect(await datasets.ids({ ...ids, fileExts: ["pptx"], among })).toEqual([]);
      expect(await datasets.ids({ ...ids, filter: undefined, fileExts: ["pdf"], among: [begun.id, deck.id] })).toEqual([
        begun.id,
      ]);
    });
  });
}
