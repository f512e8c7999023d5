import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newDatasetId, newJobId, newUploadKey } from "../../server/domain/ids.ts";
import type { NewAttempt } from "../../server/domain/ports/requests.ts";
import { type OpenMetadataFixture, storeClock, useMetadata } from "./testing/metadata.ts";
import { createTenant, morning } from "./testing/records.ts";

/** Requests with an idempotency key. */
export function idempotencyContract(open: OpenMetadataFixture): void {
  describe("idempotency", () => {
    const db = useMetadata(open);
    const body = { sha256: "ab".repeat(32), fileBytes: 5_000_000_000 };
    const answer = new Uint8Array([1, 2, 3]);
    const heldUntil = morning + 1000;
    const expiresAt = morning + 100_000;
    const newIds = () => ({ datasetId: newDatasetId(), jobId: newJobId(), uploadKey: newUploadKey() });

    async function makeAttempt(fields: Partial<NewAttempt> = {}): Promise<NewAttempt> {
      const { workspaceId } = await createTenant(db.store);
      const ref = { workspaceId, method: "drs.v1.DatasetService/Extract", keySha256: "cd".repeat(32) };
      return { ...ref, holder: randomUUID(), ids: newIds(), holdMs: 1000, expiresAt, takesOver: true, ...fields };
    }
    const beginAt = (attempt: NewAttempt, at: number) => {
      storeClock.now = at;
      return db.store.idempotency.begin(attempt, at);
    };
    const renewAt = (attempt: NewAttempt, at: number, until: number) => {
      storeClock.now = at;
      return db.store.idempotency.renew(attempt, until - at);
    };
    const again = (attempt: NewAttempt, fields: Partial<NewAttempt> = {}): NewAttempt => ({
      ...attempt,
      holder: randomUUID(),
      ids: newIds(),
      ...fields,
    });

    it("gives the attempt to one request, tells others to wait, and then has the answer for them", async () => {
      const { idempotency } = db.store;
      const attempt = await makeAttempt();
      const both = [attempt, again(attempt)];
      // Which of them is the first is not said.
      const begun = await Promise.all(both.map((one) => beginAt(one, morning)));
      expect(begun.map(({ outcome }) => outcome).toSorted()).toEqual(["first", "running"]);
      const first = both[begun.findIndex(({ outcome }) => outcome === "first")] ?? attempt;
      expect(await idempotency.noteBody(first, body)).toBe(true);
      expect(await idempotency.answer(first, answer)).toBe(true);
      const answered = await beginAt(again(attempt), heldUntil + 1);
      expect(answered).toEqual({ outcome: "answered", body, answer });
    });

    it("tells apart workspaces, methods and keys", async () => {
      const attempt = await makeAttempt();
      const { workspaceId } = await createTenant(db.store);
      await beginAt(attempt, morning);
      for (const other of [{ workspaceId }, { method: "other" }, { keySha256: "ef".repeat(32) }]) {
        expect(await beginAt(again(attempt, other), morning)).toEqual({ outcome: "first" });
      }
    });

    it("frees the key of an attempt that created nothing, but not while another holds it", async () => {
      const { idempotency } = db.store;
      const attempt = await makeAttempt();
      await beginAt(attempt, morning);
      await idempotency.release(again(attempt));
      expect(await beginAt(again(attempt), morning)).toEqual({ outcome: "running" });
      await idempotency.release(attempt);
      expect(await beginAt(again(attempt), morning)).toEqual({ outcome: "first" });
    });

    it("hands an attempt whose holder is dead to the next, with its ids and what it said", async () => {
      const { idempotency } = db.store;
      const attempt = await makeAttempt();
      await beginAt(attempt, morning);
      await idempotency.noteBody(attempt, body);
      expect(await renewAt(attempt, morning, heldUntil + 500)).toBe(true);
      expect(await beginAt(again(attempt), heldUntil)).toEqual({ outcome: "running" });
      const next = again(attempt, { holdMs: 4500 });
      const interrupted = { outcome: "interrupted", ids: attempt.ids, body };
      expect(await beginAt({ ...next, takesOver: false }, heldUntil + 500)).toEqual(interrupted);
      expect(await beginAt(next, heldUntil + 500)).toEqual(interrupted);
      expect(await beginAt(again(attempt), heldUntil + 501)).toEqual({ outcome: "running" });
      expect(await renewAt(attempt, heldUntil + 501, heldUntil + 9000)).toBe(false);
      expect(await idempotency.answer(attempt, answer)).toBe(false);
      expect(await idempotency.reserve(next, next.ids)).toBe(true);
      const last = await beginAt(again(attempt), heldUntil + 5000);
      expect(last).toEqual({ outcome: "interrupted", ids: next.ids, body: undefined });
    });

    it("ends all holds but forgets no answer", async () => {
      const { idempotency } = db.store;
      const [running, done] = [await makeAttempt(), await makeAttempt()];
      for (const attempt of [running, done]) await beginAt(attempt, morning);
      await idempotency.noteBody(done, body);
      await idempotency.answer(done, answer);
      await idempotency.endHolds();
      expect(await beginAt(again(running), morning)).toMatchObject({ outcome: "interrupted" });
      expect(await beginAt(again(done), morning)).toMatchObject({ outcome: "answered" });
    });

    it("forgets what has expired, swept or not", async () => {
      const { idempotency } = db.store;
      const attempt = await makeAttempt();
      await beginAt(attempt, morning);
      await idempotency.noteBody(attempt, body);
      await idempotency.answer(attempt, answer);
      await idempotency.sweep(expiresAt - 1);
      expect(await beginAt(again(attempt), expiresAt - 1)).toMatchObject({ outcome: "answered" });
      const later = { holdMs: 1000, expiresAt: expiresAt + 100_000 };
      expect(await beginAt(again(attempt, later), expiresAt)).toEqual({ outcome: "first" });
      storeClock.now = expiresAt + 100_000;
      await idempotency.sweep(expiresAt + 100_000);
      expect(await beginAt(again(attempt), morning)).toEqual({ outcome: "first" });
    });
  });
}
