import type { Actor, Caller } from "./caller.ts";
import type { Clock } from "./clock.ts";
import { type DomainError, unauthenticated } from "./errors.ts";
import type { Metadata } from "./ports/metadata.ts";
import { isUsable } from "./workspaces/workspace.ts";

/**
 * Whether callers with long calls, such as one that watches a job for hours, may still call: a key can be revoked or
 * expire, a member be removed or sign out.
 */
export interface Standing {
  /** Follows a caller until it is left; the signal is aborted, with `unauthenticated`, when the caller may call no more. */
  follow(caller: Caller): FollowedCaller;
}

export interface FollowedCaller {
  readonly signal: AbortSignal;
  leave(): void;
}

interface StandingOptions {
  /** Interval at which the credentials of all long calls are read: the longest that one works after it has been revoked. */
  readonly checkMs?: number;
}

const defaultCheckMs = 5_000;

interface Stay {
  readonly actor: Actor;
  readonly ended: AbortController;
  followers: number;
}

/** Reads each credential once per look, however many calls stay with it. */
export function createStanding(
  {
    keys,
    members,
  }: { readonly keys: Pick<Metadata["keys"], "get">; readonly members: Pick<Metadata["members"], "findToken"> },
  clock: Clock,
  { checkMs = defaultCheckMs }: StandingOptions = {},
): Standing {
  const stays = new Map<string, Stay>();
  let isChecking = false;

  async function mayCall(actor: Actor): Promise<boolean> {
    if (actor.kind === "member") return (await members.findToken(actor.tokenId)) !== undefined;
    const key = await keys.get(actor.keyId);
    return key !== undefined && isUsable(key, clock());
  }

  async function check(): Promise<void> {
    if (isChecking) return;
    isChecking = true;
    try {
      while (stays.size > 0) {
        await new Promise((resolve) => setTimeout(resolve, checkMs).unref());
        for (const [id, { actor, ended }] of stays) {
          // A store that fails says nothing about the caller.
          if (await mayCall(actor).catch(() => true)) continue;
          stays.delete(id);
          ended.abort(noLonger(actor));
        }
      }
    } finally {
      isChecking = false;
    }
  }

  return {
    follow({ actor }) {
      const id = actor.kind === "key" ? actor.keyId : actor.tokenId;
      const stay = stays.get(id) ?? { actor, ended: new AbortController(), followers: 0 };
      stays.set(id, stay);
      stay.followers += 1;
      void check();
      let isIn = true;
      return {
        signal: stay.ended.signal,
        leave() {
          if (!isIn) return;
          isIn = false;
          stay.followers -= 1;
          if (stay.followers === 0 && stays.get(id) === stay) stays.delete(id);
        },
      };
    },
  };
}

function noLonger({ kind }: Actor): DomainError {
  return unauthenticated(
    kind === "key"
      ? "this API key has been revoked or has expired; use another one"
      : "this personal token works no more; join again with an invitation from your organisation",
  );
}
