import { describe, expect, it } from "vitest";
import { newKeyId } from "../../server/domain/ids.ts";
import { newJob } from "../../server/domain/jobs/job.ts";
import { type OpenMetadataFixture, useMetadata } from "./testing/metadata.ts";
import {
  claimNext,
  createDataset,
  createTenant,
  makeDataset,
  makeEvent,
  makePage,
  morning,
} from "./testing/records.ts";

/** The contract of data read with almost every request: writes of other processes are visible at once, in spite of caches. */
export function freshAnswersContract(open: OpenMetadataFixture): void {
  describe("answers that were given before", () => {
    const db = useMetadata(open);
    const now = morning + 1000;

    it("a key is revoked", async () => {
      const { organisationId, workspaceId } = await createTenant(db.store);
      const { keys } = await db.connect();
      const id = newKeyId();
      expect(await db.store.keys.get(id)).toBeUndefined();
      const limits = { expiresAt: null, requestsPerMinute: null, filter: null, replacedBy: null };
      const secretSha256 = "ab".repeat(32);
      const times = { createdAt: now, lastUsedAt: null, revokedAt: null };
      await keys.create(
        { id, organisationId, workspaceId, name: "ci", secretSha256, scopes: ["read"], ...times, ...limits },
        makeEvent(),
      );
      expect(await db.store.keys.get(id)).toMatchObject({ revokedAt: null });
      await keys.revoke(organisationId, id, now + 1, makeEvent());
      expect(await db.store.keys.get(id)).toMatchObject({ revokedAt: now + 1 });
    });

    it("the key that signs is replaced", async () => {
      const { signingKeys } = await db.connect();
      for (const id of ["a", "b"]) {
        const replaces = (await db.store.signingKeys.current())?.id;
        const key = { id, secret: `of ${id}`, createdAt: now, supersededAt: null };
        expect(await signingKeys.rotate(key, { replaces, event: undefined })).toBe(true);
        expect(await db.store.signingKeys.current()).toEqual(key);
      }
    });

    it("a dataset is indexed, damaged, replaced, and another pack put to use", async () => {
      const { workspaceId } = await createTenant(db.store);
      const other = await db.connect();
      const scope = { workspaceId, datasetIds: undefined };
      const seen = async () => ({
        packs: (await db.store.packs.list()).map(({ id }) => id),
        asked: (await db.store.packs.inWorkspace(workspaceId)).map(({ pack }) => pack),
        incomplete: (await db.store.indices.incomplete(scope, 10)).length,
        isReplaced: await db.store.datasets.isReplacedSince(workspaceId, now),
      });
      const nothing = { packs: [], asked: [], incomplete: 0, isReplaced: false };
      expect(await seen()).toEqual(nothing);

      await other.packs.use({ id: "one@1.0.0", model: "one", manifest: "{}" }, now);
      const { dataset } = await createDataset(other, workspaceId);
      const { lease } = await claimNext(other, "w", now);
      await other.indices.begin(lease, dataset, true, now);
      const indexed = { ...nothing, packs: ["one@1.0.0"], asked: ["one@1.0.0"] };
      expect(await seen()).toEqual(indexed);

      await other.pages.save(lease, dataset.id, [makePage(1)], now);
      await other.jobs.finish(lease, { status: "SUCCESS", statusText: "" }, now);

      await other.indices.rebuild([dataset.id], "missing");
      const damaged = { ...indexed, incomplete: 1 };
      expect(await seen()).toEqual(damaged);

      await other.packs.use({ id: "two@1.0.0", model: "two", manifest: "{}" }, now);
      expect(await seen()).toEqual({ ...damaged, packs: ["two@1.0.0", "one@1.0.0"] });

      const version = makeDataset(workspaceId, { versionOf: dataset.id, createdAt: now });
      const job = {
        ...newJob(workspaceId, version.id, "datasets/extract", now, { versionOf: dataset.id }),
        revision: 0,
      };
      await other.datasets.createVersion(version, job, { event: makeEvent(), isTarget: undefined });
      const claimed = await claimNext(other, "w", now);
      expect(await other.jobs.finish(claimed.lease, { status: "SUCCESS", statusText: "" }, now)).toBe(true);
      expect(await seen()).toMatchObject({ isReplaced: true, asked: [], incomplete: 0 });
    });
  });
}
