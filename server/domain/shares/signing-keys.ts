import { randomBytes } from "node:crypto";
import type { AuditEvent } from "../audit/event.ts";
import type { Clock } from "../clock.ts";
import { unavailable } from "../errors.ts";
import type { SigningKeyStore } from "../ports/organisations.ts";
import type { SigningKey } from "../workspaces/workspace.ts";

/**
 * The keys that sign share links. They are read for each use, so a change takes effect in every process at once.
 */
export interface SigningKeys {
  /** The key that signs; a new one if there is none or it is too old. */
  current(): Promise<SigningKey>;
  /** Finds a key, with the latest expiry of a token that it has signed, milliseconds since the epoch, UTC. */
  find(id: string): Promise<{ readonly key: SigningKey; readonly latestExpiry: number } | undefined>;
  /**
   * Lets a new key sign from now on. With `revoke`, all others are removed at once; otherwise the links that they
   * signed stay valid.
   */
  rotate(options: Rotate): Promise<SigningKey>;
  /** Replaces the key if it is too old, and removes keys whose last link has expired. */
  maintain(): Promise<void>;
}

interface Rotate {
  readonly revoke: boolean;
  /** Creates the audit entry for the rotation. */
  readonly event: (successor: SigningKey) => AuditEvent;
}

/** Seven days, the longest lifetime of a link; a superseded key verifies for this time. */
export const maxShareSeconds = 604_800;
const maxShareMs = maxShareSeconds * 1_000;

/** A key signs for 30 days at most, which limits the value of a leaked one. */
const maxKeyAgeMs = 30 * 86_400_000;
/**
 * A key whose creation lies further in the future was created while the clock was wrong: it would sign until that
 * time.
 */
const maxAheadMs = 86_400_000;
/** The clocks of processes may differ by this much without harm to links. */
const clockSkewMs = 60_000;

/** Other processes may rotate at the same moment; if it happens more often, something else is wrong. */
const maxTries = 5;

export function createSigningKeys(store: SigningKeyStore, clock: Clock): SigningKeys {
  async function replace(current: SigningKey | undefined, event?: Rotate["event"]): Promise<SigningKey | undefined> {
    const successor = newKey(clock());
    const isReplaced = await store.rotate(successor, { replaces: current?.id, event: event?.(successor) });
    return isReplaced ? successor : undefined;
  }

  async function tryUntilMine(attempt: () => Promise<SigningKey | undefined>): Promise<SigningKey> {
    for (let tries = 0; tries < maxTries; tries++) {
      const key = await attempt();
      if (key !== undefined) return key;
    }
    throw unavailable("the key that signs links is being changed; try again");
  }

  const current = (): Promise<SigningKey> =>
    tryUntilMine(async () => {
      const key = await store.current();
      return key !== undefined && maySign(key, clock()) ? key : replace(key);
    });

  return {
    current,

    async find(id) {
      const key = await store.get(id);
      return key === undefined ? undefined : { key, latestExpiry: latestExpiry(key, clock()) };
    },

    async rotate({ revoke, event }) {
      if (!revoke) return tryUntilMine(async () => replace(await store.current(), event));
      const successor = newKey(clock());
      await store.replaceAll(successor, event(successor));
      return successor;
    },

    async maintain() {
      await current();
      const supersededBefore = clock() - maxShareMs - clockSkewMs;
      await store.prune({ supersededBefore, createdBefore: supersededBefore - maxKeyAgeMs });
    },
  };
}

function maySign({ createdAt }: SigningKey, now: number): boolean {
  return createdAt > now - maxKeyAgeMs && createdAt < now + maxAheadMs;
}

/**
 * No honest token expires later: links live for a week at most, and a key signs until it is superseded or too old.
 */
function latestExpiry({ createdAt, supersededAt }: SigningKey, now: number): number {
  const signedUntil = Math.min(now, supersededAt ?? now, createdAt + maxKeyAgeMs);
  return signedUntil + maxShareMs + clockSkewMs;
}

function newKey(now: number): SigningKey {
  return {
    id: randomBytes(6).toString("base64url"),
    secret: randomBytes(32).toString("base64url"),
    createdAt: now,
    supersededAt: null,
  };
}
