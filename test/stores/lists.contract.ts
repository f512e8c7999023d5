import { describe, expect, it } from "vitest";
import type { AuditEvent } from "../../server/domain/audit/event.ts";
import { datasetTypes } from "../../server/domain/datasets/dataset.ts";
import { type ItemRow, itemRows } from "../../server/domain/items/item.ts";
import { type DatasetSort, datasetSorts } from "../../server/domain/ports/datasets.ts";
import type { ItemRecord, ItemSort } from "../../server/domain/ports/pages.ts";
import { type OpenMetadataFixture, useMetadata } from "./testing/metadata.ts";
import { claimNext, createDataset, createTenant, makeEvent, makePage, morning } from "./testing/records.ts";

/** Lists are read by the page from either end: all pages together must be the one list, in its order. */
export function listsContract(open: OpenMetadataFixture): void {
  describe("lists", () => {
    const db = useMetadata(open);
    const now = morning + 10_000;

    /** The list, read in pages of seven. */
    async function inPieces<Row>(
      read: (offset: number, limit: number) => Promise<{ total: number; data: readonly Row[] }>,
    ): Promise<Row[]> {
      const rows: Row[] = [];
      for (let offset = 0; ; offset += 7) {
        const { total, data } = await read(offset, 7);
        rows.push(...data);
        if (offset + 7 < total) continue;
        expect(rows).toHaveLength(total);
        expect(await read(total, 7)).toEqual({ total, data: [] });
        return rows;
      }
    }

    const compare = (one: number | string | null, other: number | string | null): number =>
      one === other ? 0 : one === null || (other !== null && one > other) ? 1 : -1;

    it("of datasets are the same in pieces, by every sort, of every type, and leave out what has expired", async () => {
      const { workspaceId } = await createTenant(db.store);
      const made = [];
      for (let at = 0; at < 40; at++) {
        const type = datasetTypes[at % 3] ?? "doc";
        const times = { createdAt: morning + (at % 7), expiresAt: at % 4 === 0 ? null : now - 5 + (at % 9) };
        const fields = { fileName: `${at % 5}.pdf`, fileSize: at % 6, itemCount: at % 2, updatedAt: at % 3 || null };
        made.push((await createDataset(db.store, workspaceId, { ...times, ...fields, type })).dataset);
      }
      const there = made.filter(({ expiresAt }) => expiresAt === null || expiresAt > now);
      expect(there.length).toBeLessThan(made.length);
      for (const types of [[], ["doc"], ["audio", "doc"], ["image"]] as const) {
        for (const property of datasetSorts) {
          for (const descending of [false, true]) {
            const sort = [{ property, descending }];
            const listed = await inPieces((offset, limit) =>
              db.store.datasets.list({ workspaceId, types, sha256: [], sort, offset, limit, now }),
            );
            const known = new Set<string>(types.length === 0 ? datasetTypes : types);
            const expected = there.filter(({ type }) => known.has(type)).toSorted(by(property, descending));
            expect(listed.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
          }
        }
      }
    });

    /** Null comes last in either direction; the id breaks ties in that of the property. */
    const by =
      (property: DatasetSort, descending: boolean) =>
      (
        one: { readonly id: string } & Readonly<Record<DatasetSort, number | string | null>>,
        other: typeof one,
      ): number => {
        const [a, b] = [one[property], other[property]];
        if (a === null || b === null) return compare(a, b) || (descending ? -1 : 1) * compare(one.id, other.id);
        return (descending ? -1 : 1) * (compare(a, b) || compare(one.id, other.id));
      };

    it("of jobs are the same in pieces, of every status; those that finished long ago are gone till they run again", async () => {
      const { store } = db;
      const { workspaceId, organisationId } = await createTenant(store);
      const ids = [];
      for (let at = 0; at < 30; at++) {
        const { job } = await createDataset(store, workspaceId, { createdAt: morning + (at % 4) });
        ids.push({ id: job.id, createdAt: job.createdAt });
      }
      for (let at = 0; at < 20; at++) {
        const { lease } = await claimNext(store, "w", now);
        const status = at % 3 === 0 ? "ERROR" : "SUCCESS";
        if (at > 2) await store.jobs.finish(lease, { status, statusText: "" }, now + at);
      }
      const newest = ids.toSorted((one, other) => compare(other.createdAt, one.createdAt) || compare(other.id, one.id));
      const query = { workspaceId, finishedSince: 0, statuses: [] };
      const list = (more: Partial<Parameters<typeof store.jobs.list>[0]> = {}) =>
        inPieces((offset, limit) => store.jobs.list({ ...query, offset, limit, ...more }));
      const all = await list();
      expect(all.map(({ id }) => id)).toEqual(newest.map(({ id }) => id));
      for (const statuses of [["ERROR"], ["SUCCESS", "IN_PROGRESS"], ["NOT_STARTED", "ERROR", "IN_QUEUE"]] as const) {
        const known = new Set<string>(statuses);
        expect(await list({ statuses })).toEqual(all.filter(({ status }) => known.has(status)));
      }
      const finishedSince = now + 10;
      const recent = all.filter(({ finishedAt }) => finishedAt === null || finishedAt >= finishedSince);
      expect(recent).toHaveLength(23);
      expect(await list({ finishedSince })).toEqual(recent);
      await store.jobs.unlist(finishedSince);
      expect(await list({ finishedSince })).toEqual(recent);
      expect(await list()).toEqual(recent);
      const failed = all.find(({ status, finishedAt }) => status === "ERROR" && (finishedAt ?? 0) < finishedSince);
      if (failed === undefined) throw new Error("no job has failed early enough");
      expect(await store.jobs.get(workspaceId, failed.id)).toEqual(failed);
      await store.jobs.retry(workspaceId, failed.id, now + 20);
      expect((await list({ finishedSince })).map(({ id }) => id)).toContain(failed.id);
      const end = { statusText: "cancelled", event: makeEvent({ organisationId }) };
      await store.jobs.cancel(workspaceId, failed.id, end, now + 30);
      expect((await list({ finishedSince, statuses: ["ERROR"] })).map(({ id }) => id)).toContain(failed.id);
      expect((await list({ finishedSince: now + 31 })).map(({ id }) => id)).not.toContain(failed.id);
    });

    it("of audit events are the same in pieces, of all and by the beginning of the action", async () => {
      const { organisationId, workspaceId } = await createTenant(db.store);
      const actions = ["dataset.delete", "key.create", "key.revoke"] as const;
      const events = [];
      for (let at = 0; at < 30; at++) {
        const event = makeEvent({ organisationId, at: morning + (at % 4), action: actions[at % 3] ?? "key.create" });
        const { dataset } = await createDataset(db.store, workspaceId);
        await db.store.datasets.delete(workspaceId, dataset.id, now, event);
        events.push(event);
      }
      const newest = events.toSorted((one, other) => compare(other.at, one.at) || compare(other.id, one.id));
      for (const action of ["", "key.", "key.revoke", "k_y", "plan."]) {
        const listed = await inPieces((offset, limit) =>
          db.store.audit.list({ organisationId, action, offset, limit }),
        );
        expect(listed).toEqual(newest.filter((event) => event.action.startsWith(action)));
      }
      const key = "key key_1";
      for (let at = 0; at < 10; at++) {
        const event = makeEvent({ organisationId, at: morning + at, actor: key, action: "key.create" });
        const { dataset } = await createDataset(db.store, workspaceId);
        await db.store.datasets.delete(workspaceId, dataset.id, now, event);
        newest.push(event);
      }
      newest.sort((one, other) => compare(other.at, one.at) || compare(other.id, one.id));
      const [since, until] = [morning + 1, morning + 3];
      for (const wanted of [
        { actor: key },
        { since },
        { until },
        { actor: key, since, until },
        { actor: "key none" },
      ]) {
        for (const action of ["", "key.", "plan."]) {
          const listed = await inPieces((offset, limit) =>
            db.store.audit.list({ organisationId, action, offset, limit, ...wanted }),
          );
          const fits = (event: AuditEvent): boolean =>
            event.action.startsWith(action) &&
            (wanted.actor === undefined || event.actor === wanted.actor) &&
            (wanted.since === undefined || event.at >= wanted.since) &&
            (wanted.until === undefined || event.at < wanted.until);
          expect(listed).toEqual(newest.filter(fits));
        }
      }
    });

    it("of items are the same in pieces, by every sort, row and range", async () => {
      const { store } = db;
      const { workspaceId } = await createTenant(store);
      const { dataset } = await createDataset(store, workspaceId);
      const claimed = await store.jobs.claim("w", 30_000, now);
      if (claimed === undefined) throw new Error("there is no job to claim");
      const { lease } = claimed;
      await store.packs.use({ id: "a@1", model: "a", manifest: "{}" }, now);
      await store.indices.begin(lease, dataset, false, now);
      const count = 3_300;
      const times = [5, 1, 3].map((ms) => now + ms);
      const createdAt = (page: number): number => times[page % 3] ?? now;
      const isFailed = (page: number): boolean => page % 100 === 7;
      const numbers = Array.from({ length: count }, (_, index) => index + 1);
      for (const time of times) {
        const saved = numbers.filter((page) => createdAt(page) === time);
        const pages = saved.map((page) => makePage(page, { words: "", failure: isFailed(page) ? "no" : null }));
        await store.pages.save(lease, dataset.id, pages, time);
      }
      const embedded = numbers.filter((page) => page % 2 === 0);
      await store.pages.markEmbedded(lease, dataset.id, embedded, now + 4);
      const unmade = embedded.slice(0, 3).map((page) => ({ page, reason: "too odd" }));
      await store.pages.noteFailures(lease, dataset.id, "embed", unmade, now);
      const without = new Set(unmade.map(({ page }) => page));
      const all = numbers
        .filter((page) => !isFailed(page))
        .flatMap((page) =>
          itemRows.flatMap((row): ItemRecord[] => {
            if (row !== "embedding_image") return [{ page, row, createdAt: createdAt(page) }];
            return page % 2 === 0 && !without.has(page) ? [{ page, row, createdAt: now + 4 }] : [];
          }),
        );
      const value: Readonly<Record<ItemSort, (item: ItemRecord) => number | string>> = {
        createdAt: (item) => item.createdAt,
        col: (item) => item.page,
        row: (item) => item.row,
      };
      const ranges = [
        undefined,
        [{ from: 1, to: 3_000 }],
        [
          { from: 990, to: 1_010 },
          { from: 2_500, to: Infinity },
        ],
      ];
      const sorts = ["", "createdAt", "-createdAt", "col", "-col", "row", "-row", "row,-createdAt", "-createdAt,-col"];
      const places = [0, 1_900, 2_500, 5_000, 7_000, 8_100];
      for (const sort of sorts) {
        const keys = sort.split(",").flatMap((key) => {
          const property = (["createdAt", "col", "row"] as const).find((name) => key.endsWith(name));
          return property === undefined ? [] : [{ property, descending: key.startsWith("-") }];
        });
        const ordered = [
          ...keys,
          { property: "col", descending: false } as const,
          { property: "row", descending: false } as const,
        ];
        for (const row of [undefined, "jpg", "embedding_image"] as const satisfies (ItemRow | undefined)[]) {
          for (const some of ranges) {
            const expected = all
              .filter((item) => row === undefined || item.row === row)
              .filter(({ page }) => some === undefined || some.some(({ from, to }) => page >= from && page <= to))
              .toSorted((one, other) =>
                ordered.reduce(
                  (known, { property, descending }) =>
                    known || (descending ? -1 : 1) * compare(value[property](one), value[property](other)),
                  0,
                ),
              );
            for (const offset of places) {
              const query = { datasetId: dataset.id, row, ranges: some, sort: keys, offset, limit: 30 };
              const { total, data } = await store.pages.listItems(query);
              expect(total).toBe(expected.length);
              expect(data).toEqual(expected.slice(offset, offset + 30));
            }
          }
        }
      }
    });

    it("of items by age are right when pages have been read and embedded again, later or at once", async () => {
      const { store } = db;
      const { workspaceId } = await createTenant(store);
      const { dataset } = await createDataset(store, workspaceId);
      const { lease } = await claimNext(store, "w", now);
      await store.packs.use({ id: "a@1", model: "a", manifest: "{}" }, now);
      await store.indices.begin(lease, dataset, false, now);
      const made = new Map<number, { createdAt: number; embeddedAt: number | null }>();
      const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);
      const read = async (pages: readonly number[], at: number): Promise<void> => {
        await store.pages.save(
          lease,
          dataset.id,
          pages.map((page) => makePage(page, { words: "" })),
          at,
        );
        for (const page of pages) made.set(page, { createdAt: at, embeddedAt: null });
      };
      const embed = async (pages: readonly number[], at: number): Promise<void> => {
        await store.pages.markEmbedded(lease, dataset.id, pages, at);
        for (const page of pages) made.set(page, { createdAt: made.get(page)?.createdAt ?? now, embeddedAt: at });
      };
      const compareAll = async (): Promise<void> => {
        for (const row of [undefined, "pdf", "embedding_image"] as const) {
          for (const descending of [true, false]) {
            const items = [...made].flatMap(([page, { createdAt, embeddedAt }]) =>
              itemRows
                .map((each) => ({ page, row: each, createdAt: each === "embedding_image" ? embeddedAt : createdAt }))
                .filter((item) => item.createdAt !== null && (row === undefined || item.row === row)),
            );
            const expected = items.toSorted(
              (one, other) =>
                (descending ? -1 : 1) * compare(one.createdAt, other.createdAt) ||
                one.page - other.page ||
                compare(one.row, other.row),
            );
            for (let offset = 2_050; offset < expected.length; offset += 1_490) {
              const sort = [{ property: "createdAt", descending }] as const;
              const query = { datasetId: dataset.id, row, ranges: undefined, sort, offset, limit: 5 };
              const { total, data } = await store.pages.listItems(query);
              expect(total).toBe(expected.length);
              expect(data).toEqual(expected.slice(offset, offset + 5));
            }
          }
        }
      };
      for (let from = 1; from <= 4_200; from += 600) await read(range(from, from + 599), now + from);
      for (let from = 1; from <= 4_200; from += 700) await embed(range(from, from + 699), now + 2_000 + from);
      await compareAll();
      // Later than all others, and between them.
      await read(range(900, 1_300), now + 9_000);
      await embed(range(950, 1_250), now + 3_000);
      await embed(range(3_900, 4_100), now + 1_000);
      await compareAll();
      // A whole block again.
      await store.pages.clearEmbedded(lease, dataset.id);
      for (const [page, times] of made) made.set(page, { ...times, embeddedAt: null });
      await embed(range(1_900, 4_200), now + 8_000);
      await embed(range(1, 1_800), now - 500);
      await compareAll();
    });
  });
}
