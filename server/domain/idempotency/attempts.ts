import { createHash, randomUUID } from "node:crypto";
import type { Clock } from "../clock.ts";
import { conflict, invalid } from "../errors.ts";
import { newDatasetId, newJobId, newUploadKey } from "../ids.ts";
import type {
  AttemptHold,
  AttemptRef,
  BegunAttempt,
  BodyDigest,
  IdempotencyStore,
  ReservedIds,
} from "../ports/requests.ts";

/** How long a stored answer is returned for repetitions of its request. */
export const rememberedMs = 24 * 3_600_000;
/**
 * A request may take as long as its upload. The hold is renewed while it runs, so an expired hold means a dead
 * process.
 */
const holdMs = 90_000;
/** Less than half of a hold, so that one renewal may be late. */
const renewMs = 30_000;

/** An attempt that this process holds. */
export interface HeldAttempt {
  readonly ids: ReservedIds;
  /** Aborted if another process has taken over the attempt, because it took this process for dead. */
  readonly lost: AbortSignal;
  noteBody(body: BodyDigest): Promise<void>;
  /** Stores the answer for repetitions of the request. */
  answer(answer: Uint8Array): Promise<void>;
  /** Frees the key: the attempt has failed and created nothing. */
  release(): Promise<void>;
  /** Leaves the attempt interrupted, so that the next request with the key can resume it. */
  giveUp(): Promise<void>;
  /** Begins again with new ids. */
  startOver(): Promise<HeldAttempt>;
}

export type Attempt =
  | { readonly outcome: "first"; readonly held: HeldAttempt }
  | (Extract<BegunAttempt, { outcome: "interrupted" }> & {
      /** Undefined if attempts of this kind cannot be resumed. */
      readonly held: HeldAttempt | undefined;
    })
  | Extract<BegunAttempt, { outcome: "running" | "answered" }>;

/** Makes requests idempotent: each is executed once, however often it is sent. */
export interface Attempts {
  /** `canResume` means that what an interrupted attempt has created can be found by its ids. */
  begin(ref: AttemptRef, options: { readonly canResume: boolean }): Promise<Attempt>;
}

export function createAttempts(store: IdempotencyStore, clock: Clock): Attempts {
  return {
    async begin(ref, { canResume }) {
      const hold: AttemptHold = { ...ref, holder: randomUUID() };
      const ids = newIds();
      const now = clock();
      const begun = await store.begin(
        { ...hold, ids, holdMs, expiresAt: now + rememberedMs, takesOver: canResume },
        now,
      );
      if (begun.outcome === "first") return { ...begun, held: holdAttempt(store, hold, ids) };
      if (begun.outcome !== "interrupted") return begun;
      return { ...begun, held: canResume ? holdAttempt(store, hold, begun.ids) : undefined };
    },
  };
}

function holdAttempt(store: IdempotencyStore, hold: AttemptHold, ids: ReservedIds): HeldAttempt {
  const lost = new AbortController();
  const lose = (): void =>
    lost.abort(conflict("another request with this Idempotency-Key has taken over; send it again for its answer"));
  const renewing = setInterval(() => {
    // A database that does not answer now may do so next time; until then the hold lasts.
    store.renew(hold, holdMs).then(
      (isHeld) => isHeld || lose(),
      () => undefined,
    );
  }, renewMs).unref();
  const done = (): void => clearInterval(renewing);
  const check = (isHeld: boolean): void => {
    if (isHeld) return;
    lose();
    lost.signal.throwIfAborted();
  };
  return {
    ids,
    lost: lost.signal,
    noteBody: async (body) => check(await store.noteBody(hold, body)),
    async answer(answer) {
      done();
      await store.answer(hold, answer);
    },
    async release() {
      done();
      await store.release(hold);
    },
    async giveUp() {
      done();
      await store.renew(hold, 0);
    },
    async startOver() {
      done();
      const fresh = newIds();
      check(await store.reserve(hold, fresh));
      return holdAttempt(store, hold, fresh);
    },
  };
}

const newIds = (): ReservedIds => ({ datasetId: newDatasetId(), jobId: newJobId(), uploadKey: newUploadKey() });

/** Enough for a UUID, an id of the caller's own or a digest, and small enough for any header. */
const visibleAscii = /^[\x21-\x7e]{1,255}$/;

/** Checks an idempotency key from a caller. Throws `invalid`. */
export function parseIdempotencyKey(text: string): string {
  if (visibleAscii.test(text)) return text;
  throw invalid("the Idempotency-Key must be 1 to 255 visible ASCII characters without spaces; a UUID is a good one");
}

export function hashIdempotencyKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}
