import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { newWorkspaceId, type WorkspaceId } from "../../server/domain/ids.ts";
import type { Upload } from "../../server/domain/uploads/upload.ts";
import type { Holdings } from "../../server/domain/usage/usage.ts";
import { type OpenMetadataFixture, useMetadata } from "./testing/metadata.ts";
import { createDataset, createTenant, makeDataset, makeEvent, makeJob, morning } from "./testing/records.ts";
import { claimOf, dayMs, found, makePart, makeUpload, now, plenty } from "./testing/usage-records.ts";

const nothing: Holdings = { stored: { originals: 0, converted: 0, parts: 0 }, documents: 0, pages: 0 };

/** The contract of the usage of workspaces. */
export function usageContract(open: OpenMetadataFixture): void {
  describe("usage", () => {
    const db = useMetadata(open);

    /** Returns the usage of the workspace by its counters, which must equal its rows. */
    async function holdings(workspaceId: WorkspaceId): Promise<Holdings> {
      const counted = await db.store.usage.ofWorkspace(workspaceId);
      expect(counted).toEqual(await db.store.usage.recount(workspaceId));
      return counted;
    }

    async function start(workspaceId: WorkspaceId): Promise<Upload> {
      const upload = makeUpload(workspaceId);
      await db.store.uploads.create(upload);
      return upload;
    }

    it("counts datasets, their pages and what they became, until they are deleted or have expired", async () => {
      const { store } = db;
      const [{ workspaceId }, other] = [await createTenant(store), await createTenant(store)];
      expect(await holdings(workspaceId)).toEqual(nothing);
      const { dataset } = await createDataset(store, workspaceId, { fileSize: 5000, fileExt: "docx" });
      const { dataset: expiring } = await createDataset(store, workspaceId, { fileSize: 30, expiresAt: now });
      await createDataset(store, other.workspaceId, { fileSize: 7 });
      const { lease } = await claimOf(store, dataset.id);
      for (const pages of [12, 10]) await store.datasets.setItemCount(lease, dataset.id, pages, now);
      for (const size of [999, 400]) {
        expect(await store.datasets.setConverted(lease, dataset.id, { key: `converted/${size}`, size }, now)).toBe(
          true,
        );
      }
      expect(await holdings(workspaceId)).toEqual({
        stored: { originals: 5030, converted: 400, parts: 0 },
        documents: 2,
        pages: 10,
      });
      expect(await store.datasets.deleteExpired(now, 10)).toBe(1);
      expect(await store.datasets.get(workspaceId, expiring.id, morning)).toBeUndefined();
      expect((await holdings(workspaceId)).stored.originals).toBe(5000);
      expect(await store.datasets.delete(workspaceId, dataset.id, now, makeEvent())).toEqual({ freedBytes: 5400 });
      await db.run(sql`update "datasets" set "convertedSize" = 400 where "id" = ${dataset.id}`);
      expect(await holdings(workspaceId)).toEqual(nothing);
      expect((await holdings(other.workspaceId)).stored.originals).toBe(7);
    });

    it("writes down what each workspace holds as that of a day, until the day is too old", async () => {
      const { store } = db;
      const { organisationId, workspaceId } = await createTenant(store);
      const second = { id: newWorkspaceId(), organisationId, name: "second", createdAt: morning };
      await store.workspaces.create(second, makeEvent({ organisationId }));
      const stranger = await createTenant(store);
      const { dataset } = await createDataset(store, workspaceId, { fileSize: 5000 });
      await createDataset(store, stranger.workspaceId, { fileSize: 7 });
      const days = { from: "2026-11-01", before: "2026-11-30" };
      expect(await store.usage.history(workspaceId, days)).toEqual([]);
      await store.usage.noteDay("2026-11-20", "2026-01-01");
      await createDataset(store, second.id, { fileSize: 100 });
      await store.usage.noteDay("2026-11-22", "2026-01-01");
      await store.datasets.delete(workspaceId, dataset.id, now, makeEvent());
      await store.usage.noteDay("2026-11-22", "2026-01-01");
      const empty = { storedBytes: 0, documents: 0, pages: 0 };
      const [before, after] = [
        { ...empty, day: "2026-11-20", storedBytes: 5000, documents: 1, organisationStoredBytes: 5000 },
        { ...empty, day: "2026-11-22", organisationStoredBytes: 100 },
      ];
      expect(await store.usage.history(workspaceId, days)).toEqual([before, after]);
      expect(await store.usage.history(second.id, days)).toEqual([
        { ...empty, day: "2026-11-20", organisationStoredBytes: 5000 },
        { ...empty, day: "2026-11-22", storedBytes: 100, documents: 1, organisationStoredBytes: 100 },
      ]);
      expect(await store.usage.history(workspaceId, { from: "2026-11-20", before: "2026-11-22" })).toEqual([before]);
      await store.usage.noteDay("2026-11-23", "2026-11-22");
      expect((await store.usage.history(workspaceId, days)).map(({ day }) => day)).toEqual([
        "2026-11-22",
        "2026-11-23",
      ]);
    });

    it("counts nothing of what fails", async () => {
      const { store } = db;
      const { workspaceId } = await createTenant(store);
      const { job } = await createDataset(store, workspaceId, { fileSize: 100 });
      const dataset = makeDataset(workspaceId, { fileSize: 50 });
      await expect(store.datasets.create(dataset, { ...makeJob(dataset), id: job.id })).rejects.toThrow(/constraint/i);
      expect(await holdings(workspaceId)).toMatchObject({ stored: { originals: 100 }, documents: 1 });
    });

    it("counts parts until their session ends, is aborted or has expired", async () => {
      const { uploads } = db.store;
      const { workspaceId } = await createTenant(db.store);
      const [ending, aborted, expiring] = [
        await start(workspaceId),
        await start(workspaceId),
        await start(workspaceId),
      ];
      const [first, second, again] = [makePart(1, 600), makePart(2, 50), makePart(2, 70)];
      for (const part of [first, second, again]) await uploads.putPart(ending.key, part, plenty, now);
      await uploads.putPart(aborted.key, makePart(1, 1000), plenty, now);
      await uploads.putPart(expiring.key, makePart(1, 20_000), plenty, now);
      expect(await uploads.putPart(expiring.key, makePart(2, 1), 20_000, now)).toBe("full");
      expect((await holdings(workspaceId)).stored).toEqual({ originals: 0, converted: 0, parts: 21_670 });
      const dataset = makeDataset(workspaceId, { fileSize: 670 });
      const job = makeJob(dataset);
      const become = { parts: [first, again], dataset, job, end: { jobId: job.id, partsDigest: "cd" } };
      expect(await uploads.end(ending.key, become, now)).toBe("ended");
      expect((await holdings(workspaceId)).stored).toEqual({ originals: 670, converted: 0, parts: 21_000 });
      expect(await uploads.abort(workspaceId, aborted.key, now)).toBe(true);
      expect((await holdings(workspaceId)).stored.parts).toBe(20_000);
      await uploads.sweep(morning + dayMs);
      expect((await holdings(workspaceId)).stored).toEqual({ originals: 670, converted: 0, parts: 0 });
    });

    it("counts a fetched document once it has come, and nothing of one that never does", async () => {
      const { store } = db;
      const { workspaceId } = await createTenant(store);
      for (const outcome of ["SUCCESS", "ERROR"] as const) {
        const dataset = makeDataset(workspaceId, { fileSize: 0, sha256: "", fileExt: "" });
        await store.fetches.create(dataset, makeJob(dataset), "https://example.org/a");
        const { lease } = await claimOf(store, dataset.id);
        expect((await holdings(workspaceId)).documents).toBe(outcome === "SUCCESS" ? 1 : 2);
        if (outcome === "SUCCESS")
          await store.fetches.done(lease, dataset.id, { ...found, originalKey: "originals/x" }, now);
        await store.jobs.finish(lease, { status: outcome, statusText: "" }, now);
        expect(await holdings(workspaceId)).toMatchObject({ stored: { originals: 700 }, documents: 1 });
      }
    });

    it("adds requests up by workspace and month", async () => {
      const { usage } = db.store;
      const [{ workspaceId }, other] = [await createTenant(db.store), await createTenant(db.store)];
      expect(await usage.requestsSince(workspaceId, "2026-11")).toEqual([]);
      await usage.addRequests([
        { workspaceId, month: "2026-11", requests: 3 },
        { workspaceId, month: "2026-12", requests: 5 },
        { workspaceId: other.workspaceId, month: "2026-11", requests: 9 },
      ]);
      await usage.addRequests([{ workspaceId, month: "2026-11", requests: 4 }]);
      const [november, december] = [
        { month: "2026-11", requests: 7 },
        { month: "2026-12", requests: 5 },
      ];
      expect(await usage.requestsSince(workspaceId, "2025-12")).toEqual([november, december]);
      expect(await usage.requestsSince(workspaceId, "2026-12")).toEqual([december]);
      expect(await usage.requestsSince(other.workspaceId, "2026-11")).toEqual([{ month: "2026-11", requests: 9 }]);
    });

    it("adds all requests or none", async () => {
      const { usage } = db.store;
      const { workspaceId } = await createTenant(db.store);
      const counts = [workspaceId, newWorkspaceId()].map((id) => ({ workspaceId: id, month: "2026-11", requests: 2 }));
      await expect(usage.addRequests(counts)).rejects.toThrow(/constraint/i);
      expect(await usage.requestsSince(workspaceId, "2026-11")).toEqual([]);
    });
  });
}
