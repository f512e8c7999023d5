import { describe, expect, it } from "vitest";
import { originalKey } from "../../server/domain/datasets/dataset.ts";
import { newUploadKey, type WorkspaceId } from "../../server/domain/ids.ts";
import { newPartKey, type Upload, type UploadPart } from "../../server/domain/uploads/upload.ts";
import { useMetadata, type OpenMetadataFixture } from "./testing/metadata.ts";
import { createTenant, makeDataset, makeJob, morning, removeRows } from "./testing/records.ts";

/** Upload sessions and their parts. */
export function uploadsContract(open: OpenMetadataFixture): void {
  describe("uploads", () => {
    const db = useMetadata(open);
    const now = morning + 1000;
    const dayMs = 86_400_000;
    const plenty = 1_000_000;

    function makeUpload(workspaceId: WorkspaceId, fields: Partial<Upload> = {}): Upload {
      return {
        key: newUploadKey(),
        workspaceId,
        versionOf: null,
        fileName: "book.pdf",
        jobType: "datasets/vectorize",
        expiryInDays: 1.5,
        fileSize: 5_000_000_000,
        metadata: { customer: 42 },
        callbackUrl: "https://example.org/done",
        createdAt: morning,
        expiresAt: morning + dayMs,
        ended: null,
        ...fields,
      };
    }

    function makePart(partNumber: number, fields: Partial<UploadPart> = {}): UploadPart {
      return { partNumber, etag: "ab".repeat(32), size: 100, blobKey: newPartKey(), ...fields };
    }

    async function start(fields: Partial<Upload> = {}): Promise<Upload> {
      const { workspaceId } = await createTenant(db.store);
      const upload = makeUpload(workspaceId, fields);
      await db.store.uploads.create(upload);
      return upload;
    }

    /** Enters a part as if its bytes had been written. */
    async function put(upload: Upload, part: UploadPart, maxBytes = plenty, at = now): Promise<string> {
      await db.store.garbage.add([{ kind: "blob", key: part.blobKey }], morning);
      return db.store.uploads.putPart(upload.key, part, maxBytes, at);
    }

    const garbageKeys = async (): Promise<string[]> => {
      await removeRows(db.store, now);
      return (await db.store.garbage.due(now, 100_000)).map(({ key }) => key);
    };

    const become = ({ workspaceId }: Upload, parts: readonly UploadPart[]) => {
      const dataset = makeDataset(workspaceId);
      const job = makeJob(dataset);
      return { parts, dataset, job, end: { jobId: job.id, partsDigest: "cd".repeat(32) } };
    };

    it("hides a session from other workspaces, and from its own once it has expired", async () => {
      const { uploads } = db.store;
      const upload = await start();
      const { key, workspaceId } = upload;
      const stranger = await createTenant(db.store);
      expect(await uploads.get(workspaceId, key, now)).toEqual(upload);
      expect(await uploads.get(stranger.workspaceId, key, now)).toBeUndefined();
      expect(await uploads.abort(stranger.workspaceId, key, now)).toBe(false);
      expect(await uploads.get(workspaceId, key, upload.expiresAt)).toBeUndefined();
      expect(await put(upload, makePart(1), plenty, upload.expiresAt)).toBe("closed");
      expect(await uploads.end(key, become(upload, []), upload.expiresAt)).toBe("closed");
      expect(await uploads.abort(workspaceId, key, upload.expiresAt)).toBe(false);
      const bare = await start({ expiryInDays: null, fileSize: null });
      expect(await uploads.get(bare.workspaceId, bare.key, now)).toEqual(bare);
    });

    it("keeps parts by number, the last of a number, and hands the bytes of the one before to the garbage", async () => {
      const upload = await start();
      const [second, first, again] = [makePart(2), makePart(1), makePart(2, { etag: "ef".repeat(32), size: 7 })];
      expect(await put(upload, second)).toBe("entered");
      expect(await put(upload, first)).toBe("entered");
      expect(await put(upload, again)).toBe("entered");
      expect(await db.store.uploads.parts(upload.key)).toEqual([first, again]);
      const garbage = await garbageKeys();
      expect(garbage).toContain(second.blobKey);
      expect(garbage).not.toContain(first.blobKey);
      expect(garbage).not.toContain(again.blobKey);
    });

    it("keeps one of many that are entered under a number at once", async () => {
      const upload = await start();
      const parts = Array.from({ length: 8 }, () => makePart(1));
      const other = await db.connect();
      await Promise.all(
        parts.map((part, index) => (index % 2 === 0 ? db.store : other).uploads.putPart(upload.key, part, plenty, now)),
      );
      const [kept, ...more] = await db.store.uploads.parts(upload.key);
      expect(more).toEqual([]);
      const garbage = await garbageKeys();
      const lost = parts.map(({ blobKey }) => blobKey).filter((key) => garbage.includes(key));
      expect(lost).toHaveLength(parts.length - 1);
      expect(lost).not.toContain(kept?.blobKey);
    });

    it("takes no part that makes all of them too large, but one that replaces a larger one", async () => {
      const upload = await start();
      expect(await put(upload, makePart(1, { size: 600 }), 1000)).toBe("entered");
      const over = makePart(2, { size: 401 });
      expect(await put(upload, over, 1000)).toBe("full");
      expect(await garbageKeys()).toContain(over.blobKey);
      expect(await put(upload, makePart(2, { size: 400 }), 1000)).toBe("entered");
      expect(await put(upload, makePart(1, { size: 599 }), 1000)).toBe("entered");
    });

    it("lists the open sessions of a workspace, newest first, with what they hold", async () => {
      const { workspaceId } = await createTenant(db.store);
      const made = [0, 1, 2].map((minute) => makeUpload(workspaceId, { createdAt: morning + minute }));
      const ended = makeUpload(workspaceId);
      const expired = makeUpload(workspaceId, { expiresAt: now });
      for (const upload of [...made, ended, expired]) await db.store.uploads.create(upload);
      await start();
      const [oldest, middle, newest] = made;
      if (oldest === undefined) throw new Error("unreachable");
      await put(oldest, makePart(1));
      await put(oldest, makePart(3, { size: 3_000_000_000 }), 10_000_000_000);
      expect(await db.store.uploads.end(ended.key, become(ended, []), now)).toBe("ended");
      const query = { workspaceId, limit: 2, now };
      expect(await db.store.uploads.list({ ...query, offset: 0 })).toEqual({
        total: 3,
        data: [newest, middle].map((upload) => ({ upload, partCount: 0, receivedBytes: 0 })),
      });
      expect(await db.store.uploads.list({ ...query, offset: 2 })).toEqual({
        total: 3,
        data: [{ upload: oldest, partCount: 2, receivedBytes: 3_000_000_100 }],
      });
    });

    it("becomes a dataset once, and forgets its parts", async () => {
      const { store } = db;
      const upload = await start();
      const { key, workspaceId } = upload;
      const parts = [makePart(1), makePart(2)];
      for (const part of parts) await put(upload, part);
      const what = become(upload, parts);
      const original = originalKey(what.dataset);
      await store.garbage.add([{ kind: "blob", key: original }], morning);
      const rival = become(upload, parts);
      const other = await db.connect();
      const outcomes = await Promise.all([store.uploads.end(key, what, now), other.uploads.end(key, rival, now)]);
      expect(outcomes.toSorted()).toEqual(["closed", "ended"]);
      const { dataset, job, end } = outcomes[0] === "ended" ? what : rival;
      expect(await store.datasets.get(workspaceId, dataset.id, now)).toEqual(dataset);
      expect(await store.jobs.get(workspaceId, job.id)).toEqual(job);
      expect((await store.datasets.list({ ...everything, workspaceId, now })).total).toBe(1);
      expect(await store.uploads.get(workspaceId, key, now)).toEqual({ ...upload, ended: end });
      expect(await store.uploads.parts(key)).toEqual([]);
      const garbage = await garbageKeys();
      expect(garbage).toEqual(expect.arrayContaining(parts.map(({ blobKey }) => blobKey)));
      if (outcomes[0] === "ended") expect(garbage).not.toContain(original);
      expect(await put(upload, makePart(3))).toBe("closed");
      expect(await store.uploads.abort(workspaceId, key, now)).toBe(false);
    });

    it("becomes nothing of other parts than it has", async () => {
      const { store } = db;
      const upload = await start();
      const [first, second] = [makePart(1), makePart(2)];
      await put(upload, first);
      await put(upload, second);
      const again = makePart(2);
      await put(upload, again);
      for (const parts of [[first, second], [first], [again, first], [first, again, makePart(3)]]) {
        const what = become(upload, parts);
        expect(await store.uploads.end(upload.key, what, now)).toBe("changed");
        expect(await store.datasets.get(upload.workspaceId, what.dataset.id, now)).toBeUndefined();
      }
      expect(await store.uploads.parts(upload.key)).toEqual([first, again]);
    });

    it("leaves a session as it was when its end fails", async () => {
      const { store } = db;
      const upload = await start();
      const part = makePart(1);
      await put(upload, part);
      const taken = become(upload, [part]);
      await store.datasets.create(taken.dataset, taken.job);
      await expect(store.uploads.end(upload.key, taken, now)).rejects.toThrow(/constraint/i);
      expect(await store.uploads.get(upload.workspaceId, upload.key, now)).toEqual(upload);
      expect(await store.uploads.parts(upload.key)).toEqual([part]);
      expect(await garbageKeys()).not.toContain(part.blobKey);
    });

    it("forgets an aborted session and hands its bytes to the garbage", async () => {
      const { uploads } = db.store;
      const upload = await start();
      const parts = Array.from({ length: 501 }, (_, index) => makePart(index + 1));
      for (const part of parts) await uploads.putPart(upload.key, part, plenty, now);
      expect(await uploads.abort(upload.workspaceId, upload.key, now)).toBe(true);
      expect(await uploads.get(upload.workspaceId, upload.key, now)).toBeUndefined();
      expect(await uploads.parts(upload.key)).toEqual([]);
      const garbage = new Set(await garbageKeys());
      expect(parts.filter(({ blobKey }) => !garbage.has(blobKey))).toEqual([]);
      expect(await uploads.abort(upload.workspaceId, upload.key, now)).toBe(false);
      expect(await put(upload, makePart(1))).toBe("closed");
    });

    it("sweeps what has expired, open or ended, and nothing else", async () => {
      const { uploads } = db.store;
      await uploads.sweep(now);
      const [unended, ended, kept] = [
        await start({ expiresAt: now }),
        await start({ expiresAt: now }),
        await start({ expiresAt: now + 1 }),
      ];
      const [lost, stays] = [makePart(1), makePart(1)];
      await put(unended, lost, plenty, now - 1);
      await put(kept, stays);
      expect(await uploads.end(ended.key, become(ended, []), now - 1)).toBe("ended");
      expect(await uploads.sweep(now)).toBe(2);
      expect(await uploads.sweep(now)).toBe(0);
      expect(await uploads.get(unended.workspaceId, unended.key, now - 1)).toBeUndefined();
      expect(await uploads.get(ended.workspaceId, ended.key, now - 1)).toBeUndefined();
      expect(await uploads.parts(unended.key)).toEqual([]);
      expect(await uploads.parts(kept.key)).toEqual([stays]);
      const garbage = await garbageKeys();
      expect(garbage).toContain(lost.blobKey);
      expect(garbage).not.toContain(stays.blobKey);
    });
  });
}

const everything = { types: [], sha256: [], sort: [], offset: 0, limit: 10 };
