import { describe, expect, it } from "vitest";
import { newWorkspaceId } from "../../../server/domain/ids.ts";
import type { ClaimedJob } from "../../../server/domain/ports/jobs.ts";
import { type OpenMetadataFixture, storeClock } from "../testing/metadata.ts";
import { cancelled, claimNext, createDataset, leaseMs, makeEvent, makeJob, makePage } from "../testing/records.ts";
import { now, fewRounds, race, rounds, times, useRacers } from "./racing.ts";

/** Claims on jobs that meet each other, and what ends them. */
export function claimRaces(open: OpenMetadataFixture): void {
  describe("claims on jobs that meet", () => {
    const db = useRacers(open);
    const success = { status: "SUCCESS", statusText: "" } as const;

    /** Makes `count` concurrent claims. Returns the claimed jobs. */
    async function claimAtOnce(round: number, count: number): Promise<ClaimedJob[]> {
      const calls = times(count, (index) => () => db.at(index).jobs.claim(`worker-${index}`, leaseMs, now));
      return (await race(round, calls)).filter((claimed) => claimed !== undefined);
    }

    const endAll = (claims: readonly ClaimedJob[], round: number): Promise<boolean[]> =>
      race(
        round,
        claims.map(
          ({ lease }, index) =>
            () =>
              db.at(index).jobs.finish(lease, success, now),
        ),
      );

    it("hand out each job once, and one of a dataset at a time", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < fewRounds; round++) {
        const made = await Promise.all(times(6, (index) => createDataset(db.at(index), workspaceId)));
        for (const { dataset } of made.slice(0, 3)) {
          await db.store.jobs.createVectorize(makeJob(dataset, "datasets/vectorize", { createdAt: now }));
        }
        const seen = new Set<string>();
        // The six extracts, then the three jobs that waited for theirs.
        for (const count of [6, 3, 0]) {
          const claims = await claimAtOnce(round, 8);
          expect(claims).toHaveLength(count);
          expect(new Set(claims.map(({ job }) => job.datasetId)).size).toBe(count);
          for (const { job } of claims) seen.add(job.id);
          expect(await endAll(claims, round)).toEqual(times(count, () => true));
        }
        expect(seen.size).toBe(9);
      }
    });

    it("never put more jobs to work than the plan of an organisation has room for", async () => {
      const { organisationId, workspaceId } = await db.tenant({ concurrentJobs: 2 });
      const second = { id: newWorkspaceId(), organisationId, name: "second", createdAt: now };
      await db.store.workspaces.create(second, makeEvent());
      for (let round = 0; round < fewRounds; round++) {
        for (const id of [workspaceId, second.id, workspaceId, second.id]) await createDataset(db.store, id);
        for (const count of [2, 2]) {
          const claims = await claimAtOnce(round, 8);
          expect(claims).toHaveLength(count);
          expect(await claimAtOnce(round, 2)).toEqual([]);
          await endAll(claims, round);
        }
      }
    });

    it("lose no job of a workspace that enters the line while its organisation leaves it", async () => {
      const { organisationId, workspaceId } = await db.tenant();
      const second = { id: newWorkspaceId(), organisationId, name: "second", createdAt: now };
      await db.store.workspaces.create(second, makeEvent());
      const claim = (index: number) => db.at(index).jobs.claim(`worker-${index}`, leaseMs, now);
      for (let round = 0; round < rounds; round++) {
        await createDataset(db.store, workspaceId);
        await endAll([await claimNext(db.store, "w", now)], round);
        // The next claim finds that there is nothing left.
        const [{ job }, ...met] = await race(round, [
          () => createDataset(db.at(0), second.id),
          ...times(3, (index) => () => claim(index + 1)),
        ]);
        const claimed = met.find((each) => each !== undefined) ?? (await claim(0));
        expect(claimed?.job.id).toBe(job.id);
        if (claimed !== undefined) await endAll([claimed], round);
        expect(await claim(0)).toBeUndefined();
      }
    });

    it("survive the end of the lease that they follow, and learn of its pages in flight", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < fewRounds; round++) {
        const dead = [];
        while (dead.length < 4) {
          await createDataset(db.store, workspaceId);
          const { lease } = await claimNext(db.store, "dead", now);
          await db.store.jobs.setInFlight(lease, [3, 4]);
          dead.push(lease);
        }
        storeClock.now = now + leaseMs + 1;
        const claim = (index: number) => db.at(index).jobs.claim("alive", leaseMs, now);
        const [, ...met] = await race(round, [
          () => db.at(0).jobs.expireLeases("dead"),
          ...times(4, (index) => () => claim(index)),
        ]);
        const claims = met.filter((claimed) => claimed !== undefined);
        // A claim may pass by what is locked for the moment.
        for (let next = await claim(0); next !== undefined; next = await claim(0)) claims.push(next);
        expect(claims.map(({ suspects }) => suspects)).toEqual(times(4, () => [3, 4]));
        for (const { lease } of claims) expect(await db.store.jobs.renew(lease, leaseMs)).toBe(true);
        for (const lease of dead) expect(await db.store.jobs.renew(lease, leaseMs)).toBe(false);
        await endAll(claims, round);
        storeClock.now = now;
      }
    });

    it("see the jobs that a worker has just seen, and their lists count them", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < fewRounds; round++) {
        await Promise.all(times(8, (index) => createDataset(db.at(index), workspaceId)));
        const [claimed, , , postponed] = await race(round, [
          () => claimAtOnce(round, 4),
          () => db.at(2).jobs.markSeen(now),
          () => db.at(3).jobs.markSeen(now),
          async () => {
            const claim = await db.at(1).jobs.claim("other", leaseMs, now);
            return claim && db.at(1).jobs.postpone(claim.lease, { statusText: "", afterMs: 0, isTry: true }, now);
          },
          () => db.at(0).jobs.endPauses(),
          () => db.at(1).jobs.unlist(now + 1),
        ]);
        expect([undefined, 1]).toContain(postponed);
        const claims = [...claimed, ...(await claimAtOnce(round, 8))];
        expect(new Set(claims.map(({ job }) => job.id)).size).toBe(8);
        expect(claims).toHaveLength(8);
        expect(await endAll(claims, round)).toEqual(times(8, () => true));
      }
    });

    it("end with a cancel, after which they write nothing", async () => {
      const { workspaceId } = await db.tenant();
      const progress = { stage: "render", pagesDone: 1, pagesTotal: 2 } as const;
      for (let round = 0; round < rounds; round++) {
        const { dataset, job } = await createDataset(db.store, workspaceId);
        const { lease } = await claimNext(db.store, "w", now);
        const [ended] = await race(round, [
          () => db.at(0).jobs.cancel(workspaceId, job.id, cancelled(), now),
          () => db.at(1).jobs.setProgress(lease, progress, now),
          () => db.at(2).jobs.renew(lease, leaseMs),
          () => db.at(3).pages.save(lease, dataset.id, [makePage(1), makePage(2)], now),
          () => db.at(1).jobs.setInFlight(lease, [1]),
          () => db.at(2).datasets.setItemCount(lease, dataset.id, 2, now),
        ]);
        expect(ended?.isCancelled).toBe(true);
        expect(await db.store.jobs.renew(lease, leaseMs)).toBe(false);
        expect(await db.store.pages.save(lease, dataset.id, [makePage(1)], now)).toBe(false);
        expect(await db.store.datasets.get(workspaceId, dataset.id, now)).toBeUndefined();
        expect(await db.store.jobs.get(workspaceId, job.id)).toMatchObject({ status: "ERROR", canceledAt: now });
      }
    });

    it("end once, by the worker or by a cancel", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const { dataset, job } = await createDataset(db.store, workspaceId);
        const { lease } = await claimNext(db.store, "w", now);
        const [isFinished, ended] = await race(round, [
          () => db.at(0).jobs.finish(lease, success, now),
          () => db.at(1).jobs.cancel(workspaceId, job.id, cancelled(), now),
        ]);
        expect(ended?.isCancelled).toBe(!isFinished);
        const status = isFinished ? "SUCCESS" : "ERROR";
        expect(await db.store.jobs.get(workspaceId, job.id)).toMatchObject({ status });
        const kept = await db.store.datasets.get(workspaceId, dataset.id, now);
        expect(kept !== undefined).toBe(isFinished);
      }
    });
  });
}
