import { describe, expect, it } from "vitest";
import type { WorkspaceId } from "../../../server/domain/ids.ts";
import type { Metadata } from "../../../server/domain/ports/metadata.ts";
import type { UploadBecome } from "../../../server/domain/ports/uploads.ts";
import type { Upload, UploadPart } from "../../../server/domain/uploads/upload.ts";
import type { OpenMetadataFixture } from "../testing/metadata.ts";
import { claimNext, makeDataset, makeEvent, makeJob, removeRows } from "../testing/records.ts";
import { dayMs, makePart, makeUpload, plenty } from "../testing/usage-records.ts";
import { expectNoneLost, now, fewRounds, race, rounds, tally, times, useRacers } from "./racing.ts";

/** Upload sessions whose calls meet, and calls that meet where a plan has little room left. */
export function uploadRaces(open: OpenMetadataFixture): void {
  describe("uploads whose calls meet", () => {
    const db = useRacers(open);

    async function start(workspaceId: WorkspaceId): Promise<Upload> {
      const upload = makeUpload(workspaceId);
      await db.store.uploads.create(upload);
      return upload;
    }

    /** Enters a part as if its bytes had been written. */
    async function put(store: Metadata, upload: Upload, part: UploadPart, maxBytes = plenty): Promise<string> {
      await store.garbage.add([{ kind: "blob", key: part.blobKey }], now);
      return store.uploads.putPart(upload.key, part, maxBytes, now);
    }

    function become({ workspaceId }: Upload, parts: readonly UploadPart[], fileSize = 100): UploadBecome {
      const dataset = makeDataset(workspaceId, { fileSize });
      const job = makeJob(dataset);
      return { parts, dataset, job, end: { jobId: job.id, partsDigest: "cd".repeat(32) } };
    }

    const stateOf = async ({ workspaceId, key }: Upload) =>
      (await db.store.uploads.list({ workspaceId, offset: 0, limit: 1000, now })).data.find(
        ({ upload }) => upload.key === key,
      );

    it("keep one part of a number, and count each once", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const upload = await start(workspaceId);
        const parts = [1, 1, 1, 2, 3, 4].map((number, index) => makePart(number, 100 + index));
        const answers = await race(
          round,
          parts.map((part, index) => () => put(db.at(index), upload, part)),
        );
        expect(tally(answers)).toEqual({ entered: 6 });
        const kept = await db.store.uploads.parts(upload.key);
        expect(kept.map(({ partNumber }) => partNumber)).toEqual([1, 2, 3, 4]);
        const receivedBytes = kept.reduce((sum, { size }) => sum + size, 0);
        expect(await stateOf(upload)).toMatchObject({ partCount: 4, receivedBytes });
        await expectNoneLost(
          db.store,
          parts.map(({ blobKey }) => blobKey),
        );
      }
    });

    it("take no more bytes than they may", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const upload = await start(workspaceId);
        const answers = await race(
          round,
          times(6, (index) => () => put(db.at(index), upload, makePart(index + 1, 100), 399)),
        );
        expect(tally(answers)).toEqual({ entered: 3, full: 3 });
      }
    });

    it("end once, with the parts that they have, or not at all", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const upload = await start(workspaceId);
        const parts = [makePart(1, 100), makePart(2, 100)];
        for (const part of parts) await put(db.store, upload, part);
        const more = [makePart(2, 70), makePart(3, 70)];
        const becomes = times(3, () => become(upload, parts, 200));
        const answers = await race(round, [
          ...becomes.map((one, index) => async () => db.at(index).uploads.end(upload.key, one, now)),
          ...more.map((part, index) => () => put(db.at(index + 2), upload, part)),
        ]);
        const ends = answers.slice(0, 3);
        const entered = answers.slice(3).filter((answer) => answer === "entered").length;
        if (entered > 0) {
          expect(tally(ends)).toEqual({ changed: 3 });
          expect(entered).toBe(2);
        } else {
          expect(tally(ends)).toEqual({ ended: 1, closed: 2 });
        }
        const made = becomes.map(({ dataset }) => db.store.datasets.get(workspaceId, dataset.id, now));
        expect((await Promise.all(made)).map((dataset) => dataset !== undefined)).toEqual(
          ends.map((end) => end === "ended"),
        );
        await removeRows(db.store, now);
        await expectNoneLost(
          db.store,
          [...parts, ...more].map(({ blobKey }) => blobKey),
        );
      }
    });

    it("either end or are given up, by whichever call or by time", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const upload = await start(workspaceId);
        const parts = [makePart(1, 100)];
        for (const part of parts) await put(db.store, upload, part);
        const late = makePart(2, 100);
        const one = become(upload, parts);
        const [ended, aborted, again] = await race(round, [
          () => db.at(0).uploads.end(upload.key, one, now),
          () => db.at(1).uploads.abort(workspaceId, upload.key, now),
          () => db.at(2).uploads.abort(workspaceId, upload.key, now),
          () => put(db.at(3), upload, late),
          async () => {
            if (round % 3 === 0) await db.at(2).uploads.sweep(now + 2 * dayMs);
          },
        ]);
        const outcomes = [ended === "ended", aborted, again].filter((is) => is);
        expect(outcomes.length).toBeLessThanOrEqual(1);
        if (round % 3 !== 0) expect(outcomes).toHaveLength(1);
        const dataset = await db.store.datasets.get(workspaceId, one.dataset.id, now);
        expect(dataset !== undefined).toBe(ended === "ended");
        expect(await stateOf(upload)).toBeUndefined();
        await removeRows(db.store, now);
        expect(await db.store.uploads.parts(upload.key)).toEqual([]);
        await expectNoneLost(
          db.store,
          [...parts, late].map(({ blobKey }) => blobKey),
        );
      }
    });

    it("fill a plan to the last byte and not beyond, with whatever takes room", async () => {
      const { organisationId, workspaceId } = await db.tenant({ maxStorageBytes: 300 });
      for (let round = 0; round < fewRounds; round++) {
        const fetched = times(3, () => makeDataset(workspaceId, { fileSize: 0 }));
        const claims = [];
        for (const dataset of fetched) {
          await db.store.fetches.create(dataset, makeJob(dataset), "https://example.com/a.pdf");
          claims.push(await claimNext(db.store, "w", now));
        }
        const uploads = [];
        for (let count = 0; count < 3; count++) uploads.push(await start(workspaceId));
        const added = times(3, () => makeDataset(workspaceId, { fileSize: 100 }));
        const answers: readonly unknown[] = await race(round, [
          ...claims.map(({ lease, job }, index) => () => {
            const found = { fileName: "a", fileExt: "pdf", mimeType: "", fileSize: 100, sha256: "" };
            const originalKey = `originals/${job.datasetId}`;
            return db.at(index).fetches.done(lease, job.datasetId, { ...found, originalKey }, now);
          }),
          ...uploads.map(
            (upload, index) => () => db.at(index + 1).uploads.putPart(upload.key, makePart(1, 100), plenty, now),
          ),
          ...added.map((dataset, index) => () => db.at(index + 2).datasets.create(dataset, makeJob(dataset))),
        ]);
        const inside = answers.filter((answer) => answer === "entered" || answer === true);
        expect(inside).toHaveLength(3);
        expect(await db.store.usage.storage(workspaceId)).toMatchObject({ storedBytes: 300 });
        for (const { id } of [...fetched, ...added]) {
          await db.store.datasets.delete(workspaceId, id, now, makeEvent({ organisationId }));
        }
        for (const { key } of uploads) await db.store.uploads.abort(workspaceId, key, now);
        expect(await db.store.usage.storage(workspaceId)).toMatchObject({ storedBytes: 0 });
      }
    });
  });
}
