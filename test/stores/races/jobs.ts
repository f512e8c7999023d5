import { describe, expect, it } from "vitest";
import type { Dataset } from "../../../server/domain/datasets/dataset.ts";
import type { WorkspaceId } from "../../../server/domain/ids.ts";
import type { Job } from "../../../server/domain/jobs/job.ts";
import type { OpenMetadataFixture } from "../testing/metadata.ts";
import { cancelled, claimAt, claimNext, createDataset, leaseMs, makeEvent, makeJob } from "../testing/records.ts";
import { now, race, rounds, tally, times, useRacers } from "./racing.ts";

/** Calls that put jobs into the queue or take them out of it, and meet. */
export function jobRaces(open: OpenMetadataFixture): void {
  describe("jobs whose calls meet", () => {
    const db = useRacers(open);
    const success = { status: "SUCCESS", statusText: "" } as const;
    const failure = { status: "ERROR", statusText: "no" } as const;

    /** A dataset whose job has ended. */
    async function ended(
      workspaceId: WorkspaceId,
      end: typeof success | typeof failure = success,
    ): Promise<{ dataset: Dataset; job: Job }> {
      const made = await createDataset(db.store, workspaceId);
      const { lease } = await claimNext(db.store, "w", now);
      await db.store.jobs.finish(lease, end, now);
      return made;
    }

    const vectorizeJob = (dataset: Dataset): Job => makeJob(dataset, "datasets/vectorize", { createdAt: now });
    const outcome = (answer: Job | string | undefined): string =>
      typeof answer === "object" ? "again" : (answer ?? "unknown");

    it("run again once, however often that is asked", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const { job } = await ended(workspaceId, failure);
        const answers = await race(
          round,
          times(6, (index) => () => db.at(index).jobs.retry(workspaceId, job.id, now)),
        );
        expect(tally(answers.map(outcome))).toEqual({ again: 1, unfinished: 5 });
        const { lease } = await claimNext(db.store, "w", now);
        expect(lease.jobId).toBe(job.id);
        expect(await claimAt(db.store, "w", now)).toBeUndefined();
        await db.store.jobs.finish(lease, success, now);
      }
    });

    it("are at work one at a time, also when an older one of the dataset runs again", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const { dataset, job } = await ended(workspaceId, failure);
        const vectorize = vectorizeJob(dataset);
        await db.store.jobs.createVectorize(vectorize);
        const claim = (index: number) => db.at(index).jobs.claim("w", leaseMs, now);
        const answers = await race(round, [
          () => claim(0),
          async () => {
            await db.at(1).jobs.retry(workspaceId, job.id, now);
            return claim(1);
          },
          () => claim(2),
        ]);
        const atWork = answers.filter((claimed) => claimed !== undefined);
        expect(atWork.length).toBeLessThanOrEqual(1);
        const order = [];
        let next = atWork[0] ?? (await claim(3));
        while (next !== undefined) {
          order.push(next.job.id);
          expect(await claim(0)).toBeUndefined();
          await db.store.jobs.finish(next.lease, success, now);
          next = await claim(3);
        }
        expect(order.toSorted()).toEqual([job.id, vectorize.id].toSorted());
      }
    });

    it("vectorize a dataset once, by whichever of them", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const { dataset } = await ended(workspaceId);
        const failed = [];
        for (let count = 0; count < 2; count++) {
          const job = vectorizeJob(dataset);
          await db.store.jobs.createVectorize(job);
          const { lease } = await claimNext(db.store, "w", now);
          await db.store.jobs.finish(lease, failure, now);
          failed.push(job);
        }
        const answers = await race(round, [
          ...failed.map(
            ({ id }, index) =>
              async () =>
                outcome(await db.at(index).jobs.retry(workspaceId, id, now)),
          ),
          ...times(2, (index) => () => db.at(index + 2).jobs.createVectorize(vectorizeJob(dataset))),
        ]);
        expect(answers.filter((answer) => answer === "again" || answer === "created")).toHaveLength(1);
        const { lease } = await claimNext(db.store, "w", now);
        expect(await claimAt(db.store, "w", now)).toBeUndefined();
        await db.store.jobs.finish(lease, success, now);
      }
    });

    it("are not left unfinished when their dataset goes", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const { dataset, job } = await ended(workspaceId, round % 2 === 0 ? success : failure);
        const vectorize = vectorizeJob(dataset);
        const [gone, retried, created] = await race(round, [
          () => db.at(0).datasets.delete(workspaceId, dataset.id, now, makeEvent()),
          () => db.at(1).jobs.retry(workspaceId, job.id, now),
          () => db.at(2).jobs.createVectorize(vectorize),
          () => db.at(3).jobs.reconvert(dataset.id, now),
        ]);
        expect(gone).toEqual({ freedBytes: dataset.fileSize });
        expect(["created", "gone"]).toContain(created);
        expect(["again", "gone", "complete", "unfinished"]).toContain(outcome(retried));
        expect(await claimAt(db.store, "w", now)).toBeUndefined();
        for (const { id } of [job, vectorize]) {
          const left = await db.store.jobs.get(workspaceId, id);
          expect(left === undefined || left.finishedAt !== null).toBe(true);
        }
      }
    });

    it("are not made for a dataset that a cancel takes away", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const { dataset, job } = await createDataset(db.store, workspaceId);
        const vectorize = vectorizeJob(dataset);
        const [cancel, created] = await race(round, [
          () => db.at(0).jobs.cancel(workspaceId, job.id, cancelled(), now),
          () => db.at(1).jobs.createVectorize(vectorize),
        ]);
        expect(cancel?.isCancelled).toBe(true);
        expect(["created", "gone"]).toContain(created);
        const kept = await db.store.datasets.get(workspaceId, dataset.id, now);
        expect(kept !== undefined).toBe(created === "created");
        expect((await db.store.jobs.get(workspaceId, vectorize.id))?.status).toBe(
          created === "created" ? "NOT_STARTED" : undefined,
        );
        const claimed = await claimAt(db.store, "w", now);
        expect(claimed?.job.id).toBe(created === "created" ? vectorize.id : undefined);
        if (claimed !== undefined) await db.store.jobs.finish(claimed.lease, success, now);
      }
    });

    it("of which two are cancelled take their dataset with them", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const { dataset, job } = await createDataset(db.store, workspaceId);
        const vectorize = vectorizeJob(dataset);
        await db.store.jobs.createVectorize(vectorize);
        const answers = await race(
          round,
          [job, vectorize].map(
            ({ id }, index) =>
              () =>
                db.at(index).jobs.cancel(workspaceId, id, cancelled(), now),
          ),
        );
        expect(answers.map((answer) => answer?.job.status)).toEqual(["ERROR", "ERROR"]);
        expect(await db.store.datasets.get(workspaceId, dataset.id, now)).toBeUndefined();
      }
    });

    it("are listed when they run again, however old they are", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const { job } = await ended(workspaceId, failure);
        const [again] = await race(round, [
          () => db.at(0).jobs.retry(workspaceId, job.id, now),
          () => db.at(1).jobs.unlist(now + 1),
          () => db.at(2).jobs.unlist(now + 1),
        ]);
        expect(outcome(again)).toBe("again");
        const query = { workspaceId, statuses: [], offset: 0, limit: 1000, finishedSince: now + 1 };
        const listed = await db.store.jobs.list(query);
        expect([listed.total, listed.data.map(({ id }) => id)]).toEqual([1, [job.id]]);
        const { lease } = await claimNext(db.store, "w", now);
        await db.store.jobs.finish(lease, success, now);
      }
    });

    it("make a document again once", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const { dataset } = await ended(workspaceId);
        const answers = await race(
          round,
          times(4, (index) => () => db.at(index).jobs.reconvert(dataset.id, now)),
        );
        expect(tally(answers)).toEqual({ true: 1, false: 3 });
        const { lease } = await claimNext(db.store, "w", now);
        await db.store.jobs.finish(lease, success, now);
      }
    });
  });
}
