import { randomBytes } from "node:crypto";
import type { AuditEvent } from "../audit/event.ts";
import type { Clock } from "../clock.ts";
import { unavailable } from "../errors.ts";
import type { SigningKeyStore } from "../ports/workspaces.ts";
import type { SigningKey } from "../workspaces/workspace.ts";

/** The keys that sign share links. They are read anew for each use, so a change counts in every process at once. */
export interface SigningKeys {
  /** The key that signs; a new one if there is none or it has signed for too long. */
  current(): Promise<SigningKey>;
  /** The key and how late a token that it has signed may expire, milliseconds since the epoch, UTC. */
  find(id: string): Promise<{ readonly key: SigningKey; readonly latestExpiry: number } | undefined>;
  /** From now on a new key signs. `revoke`: all others are removed at once; else the links that they signed stay valid. */
  rotate(options: Rotate): Promise<SigningKey>;
  /** Replaces the key that has signed for too long, and removes those whose last link has ended. */
  maintain(): Promise<void>;
}

interface Rotate {
  readonly revoke: boolean;
  /** What the audit log says of it. */
  readonly event: (successor: SigningKey) => AuditEvent;
}

/** Seven days, the longest lifetime of a link: so long a superseded key goes on verifying. */
export const maxShareSeconds = 604_800;
const maxShareMs = maxShareSeconds * 1_000;

/** A key signs for 30 days at most: a leaked one is worth little for long. */
const maxKeyAgeMs = 30 * 86_400_000;
/** A key from further ahead was made while the clock was wrong: it would sign until the clock gets there. */
const maxAheadMs = 86_400_000;
/** How far the clocks of processes may be apart without harm to links. */
const clockSkewMs = 60_000;

/** Others may rotate at the same moment; more often than that something else is wrong. */
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

/** No honest token expires later: links live for a week at most, and a key signs until it is superseded or too old. */
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
