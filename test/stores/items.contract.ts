import { describe, expect, it } from "vitest";
import { itemId, itemRows, type ItemRow } from "../../server/domain/items/item.ts";
import { newDatasetId } from "../../server/domain/ids.ts";
import type { Lease } from "../../server/domain/ports/jobs.ts";
import type { ItemQuery } from "../../server/domain/ports/pages.ts";
import type { Dataset } from "../../server/domain/datasets/dataset.ts";
import { useMetadata, type OpenMetadataFixture } from "./testing/metadata.ts";
import { cancelled, claimNext, createDataset, createTenant, makePage, morning } from "./testing/records.ts";

/** Pages, their words, failures and marks, and the items that follow from them. */
export function itemsContract(open: OpenMetadataFixture): void {
  describe("pages and items", () => {
    const db = useMetadata(open);
    const now = morning + 1000;

    /** A dataset whose job is held. */
    async function start(): Promise<{ dataset: Dataset; lease: Lease }> {
      const { workspaceId } = await createTenant(db.store);
      const { dataset } = await createDataset(db.store, workspaceId);
      const { lease } = await claimNext(db.store, "w", now);
      await db.store.packs.use({ id: "p@1.0.0", model: "p", manifest: "{}" }, now);
      await db.store.indices.begin(lease, dataset, true, now);
      return { dataset, lease };
    }

    function items(dataset: Dataset, query: Partial<ItemQuery> = {}) {
      const all = { datasetId: dataset.id, row: undefined, ranges: undefined, sort: [], offset: 0, limit: 10_000 };
      return db.store.pages.listItems({ ...all, ...query });
    }

    it("keeps pages and their words, replaces what is saved again, and forgets nothing else", async () => {
      const { dataset, lease } = await start();
      const { pages } = db.store;
      const words = "Größe — 漢字 ✓ ".repeat(200);
      expect(await pages.save(lease, dataset.id, [makePage(2, { words }), makePage(1)], now)).toBe(true);
      expect(await pages.save(lease, dataset.id, [makePage(3, { words: "" })], now)).toBe(true);
      expect(await pages.finished(dataset.id)).toEqual([1, 2, 3]);
      expect(await pages.words(dataset.id, [2, 3, 9])).toEqual(new Map([[2, words]]));
      const failed = makePage(2, { words: "", failure: "broken stream" });
      await pages.save(lease, dataset.id, [failed, makePage(1), makePage(1, { words: "later" })], now);
      expect(await pages.finished(dataset.id)).toEqual([1, 2, 3]);
      expect(await pages.readable(dataset.id)).toEqual([1, 3]);
      expect(await pages.words(dataset.id, [1, 2])).toEqual(new Map([[1, "later"]]));
      expect(await pages.failures([dataset.id, newDatasetId()])).toEqual(
        new Map([[dataset.id, [{ page: 2, reason: "broken stream" }]]]),
      );
    });

    it("gives a readable page its pdf and jpg, and an embedding once it has one", async () => {
      const { dataset, lease } = await start();
      const { pages } = db.store;
      await pages.save(lease, dataset.id, [makePage(1), makePage(2, { failure: "no" }), makePage(3)], now);
      expect(await pages.unembedded(dataset.id)).toEqual([1, 3]);
      expect(await pages.markEmbedded(lease, dataset.id, [2, 3], now + 5)).toBe(true);
      expect(await pages.unembedded(dataset.id)).toEqual([1]);
      expect(await items(dataset)).toEqual({
        total: 5,
        data: [
          { page: 1, row: "jpg", createdAt: now },
          { page: 1, row: "pdf", createdAt: now },
          { page: 3, row: "embedding_image", createdAt: now + 5 },
          { page: 3, row: "jpg", createdAt: now },
          { page: 3, row: "pdf", createdAt: now },
        ],
      });
      expect(await pages.getItem(dataset.id, 3, "embedding_image")).toEqual({
        page: 3,
        row: "embedding_image",
        createdAt: now + 5,
      });
      expect(await pages.getItem(dataset.id, 1, "embedding_image")).toBeUndefined();
      expect(await pages.getItem(dataset.id, 2, "jpg")).toBeUndefined();
      expect(await pages.getItem(dataset.id, 4, "jpg")).toBeUndefined();
      const refs = [1, 3, 3, 2, 7].map((page) => ({ datasetId: dataset.id, page }));
      const found = await pages.getItems([...refs, { datasetId: newDatasetId(), page: 1 }], "jpg");
      expect(new Set(found.map(({ page }) => page))).toEqual(new Set([1, 3]));
      expect(found).toHaveLength(2);
      expect(found[0]).toEqual({ datasetId: dataset.id, page: found[0]?.page, row: "jpg", createdAt: now });
      await pages.clearEmbedded(lease, dataset.id);
      expect(await pages.unembedded(dataset.id)).toEqual([1, 3]);
      expect((await items(dataset, { row: "embedding_image" })).total).toBe(0);
    });

    it("notes what could not be embedded or rendered, and keeps the items", async () => {
      const { dataset, lease } = await start();
      const { pages } = db.store;
      await pages.save(lease, dataset.id, [makePage(1), makePage(2)], now);
      await pages.noteFailures(lease, dataset.id, "embed", [{ page: 1, reason: "too odd" }], now);
      await pages.noteFailures(lease, dataset.id, "render", [{ page: 1, reason: "too large" }], now);
      expect(await pages.unembedded(dataset.id)).toEqual([2]);
      expect((await items(dataset)).total).toBe(4);
      const [failure] = (await pages.failures([dataset.id])).get(dataset.id) ?? [];
      expect(failure?.page).toBe(1);
      expect(failure?.reason).toContain("too odd");
      expect(failure?.reason).toContain("too large");
      await pages.clearEmbedded(lease, dataset.id);
      expect(await pages.unembedded(dataset.id)).toEqual([1, 2]);
      const left = await pages.failures([dataset.id]);
      expect(left.get(dataset.id)).toEqual([{ page: 1, reason: "too large" }]);
    });

    it("breaks ties as the item ids sort, whatever the order asked for", async () => {
      const { dataset, lease } = await start();
      const numbers = Array.from({ length: 40 }, (_, index) => index + 1);
      await db.store.pages.save(
        lease,
        dataset.id,
        numbers.map((page) => makePage(page)),
        now,
      );
      await db.store.pages.markEmbedded(lease, dataset.id, numbers, now);
      const idOf = ({ page, row }: { page: number; row: ItemRow }) => itemId({ datasetId: dataset.id, page, row });
      const all = numbers
        .flatMap((page) => itemRows.map((row) => ({ page, row })))
        .toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
      const listed = await items(dataset, { sort: [{ property: "createdAt", descending: true }] });
      expect(listed.data.map(idOf)).toEqual(all.map(idOf));
      const down = await items(dataset, { sort: [{ property: "col", descending: true }] });
      const reversed = numbers.toReversed().flatMap((page) => all.filter((item) => item.page === page));
      expect(down.data.map(idOf)).toEqual(reversed.map(idOf));
      const byRow = await items(dataset, { sort: [{ property: "row", descending: true }] });
      expect(byRow.data.map(({ row }) => row)).toEqual(
        [...itemRows]
          .toSorted()
          .toReversed()
          .flatMap((row) => numbers.map(() => row)),
      );
      const pieces = [];
      for (let offset = 0; offset < 120; offset += 7) {
        pieces.push(...(await items(dataset, { offset, limit: 7 })).data.map(idOf));
      }
      expect(pieces).toEqual(all.map(idOf));
    });

    it("selects pages by ranges: mixed, overlapping, open, beyond the end, a thousand of them", async () => {
      const { dataset, lease } = await start();
      const count = 2100;
      const pages = Array.from({ length: count }, (_, index) => makePage(index + 1, { words: "" }));
      await db.store.pages.save(lease, dataset.id, pages, now);
      const select = async (ranges: { from: number; to: number }[]) => {
        const { total, data } = await items(dataset, { row: "jpg", ranges });
        expect(total).toBe(data.length);
        return data.map(({ page }) => page);
      };
      expect(
        await select([
          { from: 5, to: 10 },
          { from: 16, to: 16 },
        ]),
      ).toEqual([5, 6, 7, 8, 9, 10, 16]);
      expect(
        await select([
          { from: 9, to: 11 },
          { from: 5, to: 10 },
          { from: 10, to: 10 },
        ]),
      ).toEqual([5, 6, 7, 8, 9, 10, 11]);
      expect(await select([{ from: 2099, to: Number.MAX_SAFE_INTEGER }])).toEqual([2099, 2100]);
      expect(await select([{ from: 2099, to: Number.POSITIVE_INFINITY }])).toEqual([2099, 2100]);
      expect(await select([{ from: 5000, to: 6000 }])).toEqual([]);
      expect(await select([])).toEqual([]);
      const odd = Array.from({ length: 1050 }, (_, index) => 2 * index + 1);
      expect(await select(odd.map((page) => ({ from: page, to: page })))).toEqual(odd);
    });

    it("saves nothing for a lease that is lost", async () => {
      const { dataset, lease } = await start();
      const { pages, jobs } = db.store;
      const foreign = { ...lease, token: "another claim" };
      expect(await pages.save(foreign, dataset.id, [makePage(1)], now)).toBe(false);
      expect(await pages.save(lease, dataset.id, [makePage(1)], now)).toBe(true);
      expect(await pages.save(lease, dataset.id, [], now)).toBe(true);
      expect(await pages.markEmbedded(foreign, dataset.id, [1], now)).toBe(false);
      expect(await pages.noteFailures(foreign, dataset.id, "embed", [{ page: 1, reason: "x" }], now)).toBe(false);
      await jobs.cancel(dataset.workspaceId, lease.jobId, cancelled(), now);
      expect(await pages.save(lease, dataset.id, [makePage(2)], now)).toBe(false);
      expect(await pages.save(lease, dataset.id, [], now)).toBe(false);
      expect(await pages.markEmbedded(lease, dataset.id, [1], now)).toBe(false);
      expect(await pages.finished(dataset.id)).toEqual([]);
    });
  });
}
