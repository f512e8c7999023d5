import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newDatasetId, newJobId, newUploadKey, type WorkspaceId } from "../../../server/domain/ids.ts";
import type { NewAttempt } from "../../../server/domain/ports/requests.ts";
import { type OpenMetadataFixture, storeClock } from "../testing/metadata.ts";
import { now, race, rounds, tally, times, useRacers } from "./racing.ts";

/** Requests with the same idempotency key that come at the same time. */
export function attemptRaces(open: OpenMetadataFixture): void {
  describe("requests with one key that meet", () => {
    const db = useRacers(open);
    const body = { sha256: "ab".repeat(32), fileBytes: 0 };
    const holdMs = 1000;

    function attemptOf(workspaceId: WorkspaceId, round: number, fields: Partial<NewAttempt> = {}): NewAttempt {
      const keySha256 = round.toString(16).padStart(64, "0");
      const ids = { datasetId: newDatasetId(), jobId: newJobId(), uploadKey: newUploadKey() };
      const ref = { workspaceId, method: "drs.v1.DatasetService/Extract", keySha256 };
      return { ...ref, holder: randomUUID(), ids, holdMs, expiresAt: now + 60_000, takesOver: true, ...fields };
    }

    const outcomesOf = (answers: readonly { readonly outcome: string }[]): Record<string, number> =>
      tally(answers.map(({ outcome }) => outcome));

    it("let one of them be the first, and one take over from it when it is dead", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const attempts = times(6, () => attemptOf(workspaceId, round));
        const beginAll = (at: number) => {
          storeClock.now = at;
          return race(
            round,
            attempts.map((attempt, index) => () => db.at(index).idempotency.begin(attempt, at)),
          );
        };
        expect(outcomesOf(await beginAll(now))).toEqual({ first: 1, running: 5 });
        const taken = await beginAll(now + holdMs);
        expect(outcomesOf(taken)).toEqual({ interrupted: 1, running: 5 });
        const holds = await Promise.all(attempts.map((attempt) => db.store.idempotency.noteBody(attempt, body)));
        expect(holds).toEqual(taken.map(({ outcome }) => outcome === "interrupted"));
        storeClock.now = now;
      }
    });

    it("have the key free, or held, when the one that held it gives it up", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        const first = attemptOf(workspaceId, round);
        await db.store.idempotency.begin(first, now);
        const others = times(3, () => attemptOf(workspaceId, round));
        const [, ...begun] = await race(round, [
          () => db.at(0).idempotency.release(first),
          ...others.map((attempt, index) => () => db.at(index + 1).idempotency.begin(attempt, now)),
        ]);
        const outcomes = outcomesOf(begun);
        expect([undefined, 1]).toContain(outcomes["first"]);
        expect((outcomes["first"] ?? 0) + (outcomes["running"] ?? 0)).toBe(3);
        const holds = await Promise.all(others.map((attempt) => db.store.idempotency.noteBody(attempt, body)));
        expect(holds).toEqual(begun.map(({ outcome }) => outcome === "first"));
        const later = await db.store.idempotency.begin(attemptOf(workspaceId, round), now);
        expect(later.outcome).toBe(outcomes["first"] === 1 ? "running" : "first");
      }
    });

    it("begin anew where the old one is just forgotten", async () => {
      const { workspaceId } = await db.tenant();
      for (let round = 0; round < rounds; round++) {
        await db.store.idempotency.begin(attemptOf(workspaceId, round, { holdMs: 0, expiresAt: now }), now);
        const attempts = times(2, () => attemptOf(workspaceId, round));
        const [, , ...begun] = await race(round, [
          () => db.at(0).idempotency.sweep(now),
          () => db.at(1).idempotency.sweep(now),
          ...attempts.map((attempt, index) => () => db.at(index + 2).idempotency.begin(attempt, now)),
        ]);
        expect(outcomesOf(begun)).toEqual({ first: 1, running: 1 });
        const holds = await Promise.all(attempts.map((attempt) => db.store.idempotency.noteBody(attempt, body)));
        expect(holds).toEqual(begun.map(({ outcome }) => outcome === "first"));
      }
    });
  });
}
