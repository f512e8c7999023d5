import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { originalKey } from "../../server/domain/datasets/dataset.ts";
import { newWorkspaceId, type WorkspaceId } from "../../server/domain/ids.ts";
import { type OpenMetadataFixture, useMetadata } from "./testing/metadata.ts";
import { makeDataset, makeEvent, makeFounding, makeJob, morning, type Tenant } from "./testing/records.ts";
import { claimOf, found, makePart, makeUpload, now, plenty } from "./testing/usage-records.ts";
import { noLimits } from "../../server/domain/plans/plan.ts";

/** The contract of the storage quota of an organisation's plan. */
export function roomContract(open: OpenMetadataFixture): void {
  describe("room in a plan", () => {
    const db = useMetadata(open);
    let plans = 0;

    /** An organisation that may store so many bytes. */
    async function tenantWith(
      maxStorageBytes: number | null,
    ): Promise<Tenant & { setLimit(bytes: number): Promise<void> }> {
      plans += 1;
      const plan = `plan-${plans}`;
      const setLimit = async (bytes: number | null): Promise<void> =>
        db.store.plans.set({ name: plan, limits: { ...noLimits, maxStorageBytes: bytes } }, makeEvent());
      await setLimit(maxStorageBytes);
      const founding = makeFounding({ plan });
      await db.store.organisations.create(founding, []);
      return { organisationId: founding.organisation.id, workspaceId: founding.workspace.id, setLimit };
    }

    const add = (workspaceId: WorkspaceId, fileSize: number, store = db.store): Promise<boolean> => {
      const dataset = makeDataset(workspaceId, { fileSize });
      return store.datasets.create(dataset, makeJob(dataset));
    };

    it("is taken by all workspaces of an organisation, to the last byte and not beyond", async () => {
      const { organisationId, workspaceId } = await tenantWith(1000);
      const second = { id: newWorkspaceId(), organisationId, name: "second", createdAt: morning };
      await db.store.workspaces.create(second, makeEvent());
      const other = await tenantWith(1000);
      expect(await add(other.workspaceId, 1000)).toBe(true);
      expect(await add(workspaceId, 600)).toBe(true);
      expect(await add(second.id, 401)).toBe(false);
      expect(await add(second.id, 400)).toBe(true);
      expect(await add(workspaceId, 1)).toBe(false);
      expect(await add(workspaceId, 0)).toBe(true);
      expect(await db.store.usage.storage(second.id)).toMatchObject({ maxBytes: 1000, storedBytes: 1000 });
    });

    it("leaves nothing of a dataset that has none, and its bytes to the garbage", async () => {
      const { store } = db;
      const { workspaceId } = await tenantWith(1000);
      const dataset = makeDataset(workspaceId, { fileSize: 1001 });
      const job = makeJob(dataset);
      const garbage = { kind: "blob", key: originalKey(dataset) } as const;
      await store.garbage.add([garbage], morning);
      expect(await store.datasets.create(dataset, job)).toBe(false);
      expect(await store.datasets.get(workspaceId, dataset.id, now)).toBeUndefined();
      expect(await store.jobs.get(workspaceId, job.id)).toBeUndefined();
      expect(await store.garbage.due(now, 1000)).toContainEqual(garbage);
    });

    it("goes to one of two that ask for the last of it at the same time", async () => {
      const other = await db.connect();
      for (let round = 0; round < 10; round++) {
        const { workspaceId } = await tenantWith(1000);
        const outcomes = await Promise.all([add(workspaceId, 600), add(workspaceId, 600, other)]);
        expect(new Set(outcomes)).toEqual(new Set([false, true]));
      }
    });

    it("bounds parts, of which one that replaces another needs only what it has more", async () => {
      const { uploads } = db.store;
      const { workspaceId, setLimit } = await tenantWith(1000);
      const upload = makeUpload(workspaceId);
      await uploads.create(upload);
      const put = (number: number, size: number) => uploads.putPart(upload.key, makePart(number, size), plenty, now);
      expect(await put(1, 600)).toBe("entered");
      expect(await put(2, 401)).toBe("over quota");
      expect(await put(2, 400)).toBe("entered");
      expect(await put(1, 601)).toBe("over quota");
      await setLimit(500);
      // More is stored than the plan allows by now: what does not add to it is taken all the same.
      expect(await put(2, 399)).toBe("entered");
      expect(await put(3, 1)).toBe("over quota");
      const parts = await uploads.parts(upload.key);
      const dataset = makeDataset(workspaceId, { fileSize: 999 });
      const job = makeJob(dataset);
      const become = { parts, dataset, job, end: { jobId: job.id, partsDigest: "cd" } };
      expect(await uploads.end(upload.key, become, now)).toBe("ended");
      expect(await db.store.usage.storage(workspaceId)).toMatchObject({ maxBytes: 500, storedBytes: 999 });
    });

    it("bounds what is fetched", async () => {
      const { store } = db;
      const { workspaceId } = await tenantWith(699);
      const dataset = makeDataset(workspaceId, { fileSize: 0, sha256: "", fileExt: "" });
      await store.fetches.create(dataset, makeJob(dataset), "https://example.org/a");
      const { lease } = await claimOf(store, dataset.id);
      expect(await store.fetches.done(lease, dataset.id, { ...found, originalKey: originalKey(dataset) }, now)).toBe(
        "over quota",
      );
      expect(await store.datasets.get(workspaceId, dataset.id, now)).toEqual(dataset);
      expect(await store.fetches.get(dataset.id)).toBe("https://example.org/a");
      expect(
        await store.fetches.done(
          lease,
          dataset.id,
          { ...found, fileSize: 699, originalKey: originalKey(dataset) },
          now,
        ),
      ).toBe("entered");
      await store.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);
    });

    it("is taken by what a document became, also where there is none, and is there again once it is deleted", async () => {
      const { datasets, usage } = db.store;
      const { workspaceId } = await tenantWith(1000);
      const dataset = makeDataset(workspaceId, { fileSize: 600, fileExt: "docx" });
      await datasets.create(dataset, makeJob(dataset));
      await db.run(sql`update "datasets" set "convertedSize" = 900 where "id" = ${dataset.id}`);
      expect(await usage.storage(workspaceId)).toMatchObject({ maxBytes: 1000, storedBytes: 1500 });
      expect(await add(workspaceId, 1)).toBe(false);
      await datasets.delete(workspaceId, dataset.id, now, makeEvent());
      expect(await add(workspaceId, 1000)).toBe(true);
    });
  });
}
